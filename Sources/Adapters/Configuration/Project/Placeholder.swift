internal import Domain

/// Stands where a value was reported as wrong, so that reading goes on; never leaves the reader.
enum Placeholder {
    static var project: ProjectID {
        guard let id = ProjectID("placeholder") else { preconditionFailure("a valid constant") }
        return id
    }

    static var client: ClientID {
        guard let id = ClientID("placeholder") else { preconditionFailure("a valid constant") }
        return id
    }
}
