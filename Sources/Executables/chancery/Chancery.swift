@main enum Chancery {
    static func main() {}
}
