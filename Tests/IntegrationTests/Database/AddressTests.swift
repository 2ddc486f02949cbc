@testable import Postgres
import Testing

/// A database's name with several addresses.
@Suite("Addresses of a database") struct AddressTests {
    @Test("libpq hears all of them, each with the name that its certificate must have")
    func keywords() {
        var settings = ConnectionSettings(
            host: "db.example.com",
            database: "x",
            user: "x",
            protection: .verified(authoritiesPath: "/ca.pem"),
            applicationName: "x"
        )
        settings.addresses = ["10.0.0.1", "10.0.0.2"]
        let words = Dictionary(uniqueKeysWithValues: settings.keywords.map { ($0.name, $0.value) })
        #expect(words["host"] == "db.example.com,db.example.com")
        #expect(words["hostaddr"] == "10.0.0.1,10.0.0.2")
        #expect(words["port"] == "5432")
        #expect(words["target_session_attrs"] == "read-write")
    }

    @Test("each attempt begins with another, so that a silent one holds up one attempt")
    func turns() {
        let firsts = (0..<4).map { NameResolution.turned(["a", "b", "c"], by: $0) }
        #expect(firsts == [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["a", "b", "c"]])
        #expect(NameResolution.turned(["a"], by: 7) == ["a"])
    }
}
