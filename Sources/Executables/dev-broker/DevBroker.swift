@main enum DevBroker {
    static func main() {}
}
