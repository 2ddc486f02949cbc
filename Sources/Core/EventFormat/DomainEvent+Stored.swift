package import Domain
internal import OAuth

extension DomainEvent {
    /// The newest stored type of this event.
    package var storedType: StoredType {
        switch self {
        case .subject(let event): event.storedType
        case .loginID(let event): event.storedType
        case .loginLink(let event): event.storedType
        case .authorization(let event): event.storedType
        case .browserSession(let event): event.storedType
        case .authorizationCode(let event): event.storedType
        case .offlineGrant(let event): event.storedType
        case .biometricKey(let event): event.storedType
        case .preAuthenticatedURL(let event): event.storedType
        case .consent(let event): event.storedType
        case .spent(let event): event.storedType
        case .signingKey(let event): event.storedType
        case .projectConfig(let event): event.storedType
        }
    }

    /// Writes the members, in the order of their names' bytes.
    func write(to payload: inout JSONWriter) {
        switch self {
        case .subject(let event): event.write(to: &payload)
        case .loginID(let event): event.write(to: &payload)
        case .loginLink(let event): event.write(to: &payload)
        case .authorization(let event): event.write(to: &payload)
        case .browserSession(let event): event.write(to: &payload)
        case .authorizationCode(let event): event.write(to: &payload)
        case .offlineGrant(let event): event.write(to: &payload)
        case .biometricKey(let event): event.write(to: &payload)
        case .preAuthenticatedURL(let event): event.write(to: &payload)
        case .consent(let event): event.write(to: &payload)
        case .spent(let event): event.write(to: &payload)
        case .signingKey(let event): event.write(to: &payload)
        case .projectConfig(let event): event.write(to: &payload)
        }
    }
}
