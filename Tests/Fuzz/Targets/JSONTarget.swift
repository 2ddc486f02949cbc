import OAuth

extension Target {
    /// What was read is read again from what is written; canonical text is its own writing.
    static let json = Target("json") { bytes in
        if let value = try? JSONReader.read(bytes, numbers: .any) {
            let again = try? JSONReader.read(JSONWriter.write(value), numbers: .any)
            precondition(again == value, "a value changes when it is written")
        }
        let canonical = try? CanonicalJSON.read(bytes)
        if let value = canonical {
            precondition(CanonicalJSON.write(value) == bytes, "two canonical texts of one value")
            precondition((try? JSONReader.read(bytes)) == value, "two readers disagree")
        }
        precondition(isSameStanding(bytes), "a tree has other members than its bytes")
        return canonical?.members?.isEmpty == false
    }

    /// Whether the members that are left where they stand are those of the tree, or both are
    /// refused for one reason.
    private static func isSameStanding(_ bytes: [UInt8]) -> Bool {
        let (tree, object): (JSON, CanonicalObject)
        do { tree = try CanonicalJSON.read(bytes) } catch {
            do { _ = try CanonicalObject(bytes) } catch let other { return error == other }
            return false
        }
        do { object = try CanonicalObject(bytes) } catch { return false }
        let members = tree.members ?? []
        return members.count == object.members.count
            && zip(members, object.members).allSatisfy { member, place in
                object.member(member.name) == place
                    && object.json(of: place) == member.value
                    && object.text(of: place) == member.value.string
                    && object.integer(of: place) == member.value.integer
                    && object.bool(of: place) == member.value.bool
                    && object.texts(of: place) == member.value.strings
            }
    }
}
