package import Domain

extension EventStore {
    /// Streams asked for at once by `states`: as many as go into one query.
    package static var batchLength: Int { 64 }

    /// What each of these streams says now, as `loadCurrent` has it.
    package func states<A: Aggregate>(
        _ aggregate: A.Type,
        of streams: [StreamID],
        by deadline: Deadline
    ) async throws(StoreError) -> [StreamID: A.State] {
        var states: [StreamID: A.State] = [:]
        for start in stride(from: 0, to: streams.count, by: Self.batchLength) {
            let batch = streams[start..<min(start + Self.batchLength, streams.count)]
            for answer in await answers(aggregate, of: batch, by: deadline) {
                let loaded = try answer.get()
                states[loaded.stream] = loaded.state
            }
        }
        return states
    }

    /// As above, of those that can be read; of the others, why they cannot.
    ///
    /// - Throws: any error but `.corrupt`.
    package func readableStates<A: Aggregate>(
        _ aggregate: A.Type,
        of streams: [StreamID],
        by deadline: Deadline
    ) async throws(StoreError) -> (states: [StreamID: A.State], unreadable: [StreamID: StoreError])
    {
        var states: [StreamID: A.State] = [:]
        var unreadable: [StreamID: StoreError] = [:]
        for start in stride(from: 0, to: streams.count, by: Self.batchLength) {
            let batch = streams[start..<min(start + Self.batchLength, streams.count)]
            for answer in await answers(aggregate, of: batch, by: deadline) {
                switch answer {
                case .success(let loaded): states[loaded.stream] = loaded.state
                case .failure(let error):
                    guard case .corrupt(let stream, _) = error else { throw error }
                    unreadable[stream] = error
                }
            }
        }
        return (states, unreadable)
    }

    /// Results: a group of tasks forgets the type of an error.
    private func answers<A: Aggregate>(
        _ aggregate: A.Type,
        of streams: ArraySlice<StreamID>,
        by deadline: Deadline
    ) async -> [Result<Loaded<A>, StoreError>] {
        await withTaskGroup(of: Result<Loaded<A>, StoreError>.self) { group in
            for stream in streams {
                group.addTask {
                    do throws(StoreError) {
                        return .success(try await loadCurrent(aggregate, stream, by: deadline))
                    } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
