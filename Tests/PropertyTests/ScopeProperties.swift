import Domain
import TestSupport
import Testing

@Suite("Scopes") struct ScopeProperties {
    @Test("meet within both, join over both") func lattice() {
        forAll(.scopes, .scopes) { left, right in
            let meet = left.intersection(right)
            let join = left.union(right)
            #expect(meet.isSubset(of: left) && meet.isSubset(of: right))
            #expect(left.isSubset(of: join) && right.isSubset(of: join))
            #expect(meet == right.intersection(left))
            #expect(join == right.union(left))
            #expect(left.isSubset(of: right) == (meet == left))
            #expect(left.isSubset(of: right) == (join == right))
            #expect(left.union(meet) == left)
            #expect(left.intersection(join) == left)
        }
    }

    @Test("are equal exactly when each is within the other") func order() {
        forAll(.scopes, .scopes) { left, right in
            #expect((left == right) == (left.isSubset(of: right) && right.isSubset(of: left)))
            #expect((left == right) == (left.text == right.text))
        }
    }

    @Test("are read as they are written, in any order") func text() {
        forAll(.scopes) { scope in
            guard !scope.isEmpty else { return }
            #expect(Scope(scope.text) == scope)
            #expect(Scope(scope.tokens.reversed().joined(separator: " ")) == scope)
            for token in scope.tokens { #expect(scope.contains(token)) }
        }
    }
}
