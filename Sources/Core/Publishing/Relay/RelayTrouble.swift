/// What can go wrong in a turn, before it is decided what to do about it.
enum RelayTrouble: Error {
    case log(EventLogError)
    case publisher(PublisherError)
    /// Kafka has done nothing for too long.
    case kafkaSilent
    case halt(RelayHalt)
}
