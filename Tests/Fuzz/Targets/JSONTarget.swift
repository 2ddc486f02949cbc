import OAuth

extension Target {
    /// What was read is read again from what is written; canonical text is its own writing.
    static let json = Target("json") { bytes in
        if let value = try? JSONReader.read(bytes, numbers: .any) {
            let again = try? JSONReader.read(JSONWriter.write(value), numbers: .any)
            precondition(again == value, "a value changes when it is written")
        }
        if let value = try? CanonicalJSON.read(bytes) {
            precondition(CanonicalJSON.write(value) == bytes, "two canonical texts of one value")
            precondition((try? JSONReader.read(bytes)) == value, "two readers disagree")
        }
        let object = try? CanonicalObject(bytes)
        let members = object.map { object in object.members.map { object.json(of: $0) } }
        let unpacked = (try? CanonicalJSON.read(bytes))?.members?.map(\.value)
        precondition(members == unpacked, "a tree has other members than its bytes")
    }
}
