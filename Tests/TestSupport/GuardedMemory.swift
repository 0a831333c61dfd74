import Glibc

/// Memory between two pages that nobody may touch. It ends right before the second one, or begins right behind the first
/// one: reading or writing beyond that end ends the process.
package final class GuardedMemory<Element: BitwiseCopyable> {
    package let base: UnsafeMutablePointer<Element>
    package let count: Int
    private let mapping: UnsafeMutableRawPointer
    private let length: Int

    package init(_ elements: [Element], guardsStart: Bool = false) throws {
        count = elements.count
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let size = count * MemoryLayout<Element>.stride
        let used = (size + page - 1) / page * page
        length = used + 2 * page
        guard let mapping = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            mapping != MAP_FAILED, mprotect(mapping, page, PROT_NONE) == 0,
            mprotect(mapping + page + used, page, PROT_NONE) == 0
        else { throw GuardedMemoryError() }
        self.mapping = mapping
        base = (mapping + page + (guardsStart ? 0 : used - size)).bindMemory(to: Element.self, capacity: count)
        base.initialize(from: elements, count: count)
    }

    deinit { munmap(mapping, length) }

    package var elements: [Element] { Array(UnsafeBufferPointer(start: base, count: count)) }
}

struct GuardedMemoryError: Error {}
