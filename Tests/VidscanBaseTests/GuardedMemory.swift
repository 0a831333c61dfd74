import Glibc

/// Memory that ends right before a page that nobody may touch: to read behind it ends the process.
final class GuardedMemory<Element: BitwiseCopyable> {
    let base: UnsafeMutablePointer<Element>
    let count: Int
    private let mapping: UnsafeMutableRawPointer
    private let length: Int

    init(_ elements: [Element]) throws {
        count = elements.count
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let size = count * MemoryLayout<Element>.stride
        let used = (size + page - 1) / page * page
        length = used + page
        guard let mapping = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            mapping != MAP_FAILED, mprotect(mapping + used, page, PROT_NONE) == 0
        else { throw GuardedMemoryError() }
        self.mapping = mapping
        base = (mapping + used - size).bindMemory(to: Element.self, capacity: count)
        base.initialize(from: elements, count: count)
    }

    deinit { munmap(mapping, length) }
}

struct GuardedMemoryError: Error {}
