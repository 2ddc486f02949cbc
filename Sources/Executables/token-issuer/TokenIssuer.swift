@main enum TokenIssuer {
    static func main() {}
}
