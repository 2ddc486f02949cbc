/// What a node's memory says of a proof.
package enum ProofNovelty: Hashable, Sendable {
    /// It is used for the first time, and noted.
    case first
    case used
    /// Its holder has used so many of late that none more is noted.
    case tooMany
    /// There is no room for any: whether it was used is not known.
    case full
}
