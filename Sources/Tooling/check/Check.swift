@main enum Check {
    static func main() {}
}
