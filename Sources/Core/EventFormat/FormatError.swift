package import OAuth

/// Why stored bytes are not an event this version knows; the stream fails, nothing is guessed.
package enum FormatError: Error, Hashable {
    /// Written by a newer version, or damage.
    case unknownType(Int16)
    /// As above, of a record on Kafka.
    case unknownName(String)
    case payload(JSONError)
    /// A member that must be there is not.
    case missing(String)
    /// A member has a value no writer writes.
    case invalid(String)
    /// The event needs a column that is null.
    case missingColumn(String)
}
