@main enum RevocationProjector {
    static func main() {}
}
