package import Domain

/// An algorithm that a project signs with and has no current key of: every token that needs one
/// is refused.
package struct MissingKey: Hashable, Sendable {
    /// The setting that asks for the algorithm, as a path in the project's document.
    package var setting: String
    package var algorithm: SigningKeyRing.Algorithm

    /// `<path>: <what is wrong, and what to do>`, as the findings of a document are.
    package var finding: String {
        let name = algorithm.rawValue
        return "\(setting): there is no current \(name) key; "
            + "chancery keys stage --alg \(name), and promote it, come first"
    }
}

extension ProjectSettings {
    /// What these settings sign with beside the current keys of `algorithms`: the project's own
    /// algorithm and those of id tokens, of enabled clients.
    package func missingKeys(beside algorithms: Set<SigningKeyRing.Algorithm>) -> [MissingKey] {
        var missing: [MissingKey] = []
        if !algorithms.contains(signingAlgorithm) {
            missing.append(
                MissingKey(setting: "oauth.signing_algorithm", algorithm: signingAlgorithm)
            )
        }
        // A client that asks for the project's own is mended with it.
        for (index, client) in clients.enumerated()
        where client.enabled && client.idTokenAlgorithm != signingAlgorithm
            && !algorithms.contains(client.idTokenAlgorithm)
        {
            let setting = "oauth.clients[\(index)].id_token_signed_response_alg"
            missing.append(MissingKey(setting: setting, algorithm: client.idTokenAlgorithm))
        }
        return missing
    }
}

extension SigningKeyRing.State {
    /// The algorithms that a current key signs with.
    package var currentAlgorithms: Set<SigningKeyRing.Algorithm> {
        Set(keys.filter { $0.status == .current }.map(\.algorithm))
    }
}

extension Project {
    /// The current keys of the algorithms that its settings sign with.
    package var signingKeys: [SigningKeyRing.Key] {
        let clients = settings.clients.filter(\.enabled).map(\.idTokenAlgorithm)
        let wanted = Set(clients).union([settings.signingAlgorithm])
        return keys.keys.filter { $0.status == .current && wanted.contains($0.algorithm) }
    }

    /// The algorithms of its settings that it cannot sign with now.
    package var missingKeys: [MissingKey] {
        settings.missingKeys(beside: keys.currentAlgorithms)
    }
}
