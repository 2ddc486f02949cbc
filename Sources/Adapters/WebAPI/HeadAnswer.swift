/// What `HEAD` does where `GET` is served.
package enum HeadAnswer: Hashable, Sendable {
    /// The headers of the `GET`.
    case likeGet
    /// `204` at once, where a `GET` changes state.
    case nothing
}
