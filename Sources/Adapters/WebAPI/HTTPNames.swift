package import HTTPServer

/// The methods and status codes of the driver; requests and responses here are richer than its own.
package typealias Method = HTTPServer::Method

/// As above.
package typealias Status = HTTPServer::Status

/// As above.
package typealias Slots = Admission.Slots
