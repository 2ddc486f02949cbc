internal import CLinux
import Glibc

// @unchecked: everything but the pointers is touched between lock and unlock of `mutex`.
/// A bounded queue between threads, where takers sleep until something comes.
///
/// For threads of our own only: a loop never takes.
@safe final class BlockingQueue<Element: Sendable>: @unchecked Sendable {
    /// Elements that were taken and are kept until the next are.
    private static var takenMax: Int { 256 }

    private let capacity: Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let arrival: UnsafeMutablePointer<pthread_cond_t>
    private var elements: [Element] = []
    private var taken = 0
    private var isClosed = false

    init(capacity: Int) {
        self.capacity = capacity
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe arrival = .allocate(capacity: 1)
        unsafe arrival.initialize(to: pthread_cond_t())
        unsafe pthread_cond_init(arrival, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(arrival)
        unsafe arrival.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    var count: Int { locked { elements.count - taken } }

    /// Puts `element` last; false when the queue is full or closed, and then nothing is kept.
    func put(_ element: Element) -> Bool {
        locked {
            guard !isClosed, elements.count - taken < capacity else { return false }
            elements.append(element)
            unsafe pthread_cond_signal(arrival)
            return true
        }
    }

    /// The first element, waiting for one; nil once closed and empty.
    func take() -> Element? {
        locked {
            while taken == elements.count {
                if isClosed { return nil }
                unsafe pthread_cond_wait(arrival, mutex)
            }
            let element = elements[taken]
            taken += 1
            if taken == elements.count {
                elements.removeAll(keepingCapacity: true)
                taken = 0
            } else if taken == Self.takenMax {
                // A queue that is never empty must not keep all that ever stood in it.
                elements.removeFirst(taken)
                taken = 0
            }
            return element
        }
    }

    /// All elements, waiting for one; nil once closed and empty.
    func takeAll() -> [Element]? {
        locked {
            while taken == elements.count {
                if isClosed { return nil }
                unsafe pthread_cond_wait(arrival, mutex)
            }
            defer {
                elements = []
                taken = 0
            }
            return taken == 0 ? elements : Array(elements[taken...])
        }
    }

    func close() {
        locked {
            isClosed = true
            unsafe pthread_cond_broadcast(arrival)
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }
}
