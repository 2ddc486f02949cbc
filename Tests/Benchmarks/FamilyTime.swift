/// CPU that a process and its children have used, one by one: what ends meanwhile, as autovacuum's
/// workers do, takes its time with it.
struct FamilyTime {
    private var nanoseconds: [Int32: UInt64] = [:]

    init(of process: Int32) {
        for member in Machine.family(of: process) {
            nanoseconds[member] = Machine.cpuNanoseconds(of: member)
        }
    }

    /// Without the children: ours are the stack.
    init(alone process: Int32) { nanoseconds[process] = Machine.cpuNanoseconds(of: process) }

    /// Of those that are there now.
    func spent(since earlier: Self) -> UInt64 {
        nanoseconds.reduce(0) { sum, entry in
            let before = earlier.nanoseconds[entry.key, default: 0]
            return sum + (entry.value > before ? entry.value - before : 0)
        }
    }
}
