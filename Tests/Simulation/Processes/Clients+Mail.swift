import Domain
import InMemory
import Issuing

extension Clients {
    /// The token in the newest mail to `address`, once there is one that is none of `known`.
    func mail(to address: String, besides known: [[UInt8]] = []) async -> [UInt8]? {
        let mailQueue = installation.mailQueue
        for _ in 0..<10 {
            _ = await ask(installation.anyIssuer()) { node in
                let mails = MailDispatch(node.signIn, mailQueue: mailQueue, sender: mailQueue)
                _ = try? await mails.run(by: node.clock.deadline(inMilliseconds: 2000))
            }
            let mine = mailQueue.sent.last { $0.to.bytes == Array(address.utf8) }
            let token = mine?.link.split(separator: "=").last.map { Array($0.utf8) }
            if let token, !known.contains(token) { return token }
            await world.sleep(milliseconds: 20, on: process)
        }
        return nil
    }
}
