internal import Domain
internal import EventFormat
internal import Issuing
internal import OAuth

extension SessionList.Page {
    /// The page as it is answered; `write` writes one of its sessions.
    func render(_ write: (inout JSONWriter, SessionList.Entry) -> Void) -> [UInt8] {
        var writer = JSONWriter(reserving: 4096)
        writer.object { writer in
            writer.name("sessions")
            writer.array { writer in
                for entry in entries { write(&writer, entry) }
            }
            writer.member("next", next.map { JSON.string($0.description) } ?? .null)
            // Not there as a rule, as of the list of keys.
            if !unreadable.isEmpty { writer.member("unreadable", Int64(unreadable.count)) }
        }
        return writer.bytes
    }
}

extension SessionList.Entry {
    /// The members that its user and an operator see alike.
    func writeCommon(to writer: inout JSONWriter, _ info: DeviceInfo?) {
        writer.member("client_ids", clients.map(\.text))
        writer.member("created_at", verbatim: RFC3339.milliseconds(createdAt))
        writer.member("auth_time", verbatim: RFC3339.milliseconds(authentication.at))
        writer.member("last_used_at", verbatim: RFC3339.milliseconds(lastUsedAt))
        writer.member("expires_at", verbatim: RFC3339.milliseconds(expiresAt))
        writer.member("amr", authentication.methods.map(\.rawValue))
        if let device = info?.device { writer.member("device", device) }
        if let application = info?.application { writer.member("application", application) }
        writer.member("device_group", deviceGroup.description)
        writer.name("parent")
        writer.object { writer in
            writer.member("kind", parent.kind.rawValue)
            writer.member("id", parent.stream.description)
        }
    }
}
