/// Who operates the installation, and why they do it (WireContract 13.3).
package struct Operator: Hashable, Sendable {
    /// Ordered: each may do what the ones before may.
    package enum Role: String, Hashable, Sendable, CaseIterable { case read, operate, configure }

    package var name: String
    package var role: Role
    /// The request in which they act; nil for who is only known.
    package var correlation: Correlation?

    package init(name: String, role: Role) {
        self.name = name
        self.role = role
    }

    /// Whether this operator may do what needs `role`.
    package func may(_ role: Role) -> Bool {
        let order = Role.allCases
        return (order.firstIndex(of: self.role) ?? 0) >= (order.firstIndex(of: role) ?? 0)
    }

    /// What events of a change carry.
    package func attributes(reason: String) -> EventAttributes {
        var attributes = EventAttributes(
            actor: .operator(name: name),
            correlation: correlation
        )
        attributes.reason = reason
        return attributes
    }
}
