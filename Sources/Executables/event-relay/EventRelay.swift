@main enum EventRelay {
    static func main() {}
}
