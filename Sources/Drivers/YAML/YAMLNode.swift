/// One node of a document, with the place where it begins.
package struct YAMLNode: Sendable {
    /// What a node is; types of scalars are the reader's to decide.
    package enum Content: Sendable {
        /// Text as written; `isPlain` when it stood without quotes or block marks.
        case scalar(text: String, isPlain: Bool)
        case sequence([YAMLNode])
        /// In the order of the document; no key twice.
        case mapping([Entry])
    }

    /// One `key: value`.
    package struct Entry: Sendable {
        package var key: String
        package var keyPlace: YAMLPlace
        package var value: YAMLNode

        /// An entry as read, or as a test makes it.
        package init(key: String, keyPlace: YAMLPlace, value: YAMLNode) {
            self.key = key
            self.keyPlace = keyPlace
            self.value = value
        }
    }

    package var content: Content
    package var place: YAMLPlace

    /// A node as read, or as a test makes it.
    package init(_ content: Content, at place: YAMLPlace) {
        self.content = content
        self.place = place
    }
}
