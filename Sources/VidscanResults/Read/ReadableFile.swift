internal import Glibc
package import VidscanBase

/// A regular file that is read from its beginning: a pipe would block.
package final class ReadableFile: Sendable {
    let name: String
    /// In bytes, when the file was opened.
    let size: Int64
    private let descriptor: Int32

    /// `name` is for messages.
    package init(path: String, name: String? = nil) throws(VidscanError) {
        let name = name ?? FilePath.name(of: path)
        self.name = name
        do throws(SystemError) { (descriptor, size) = try FileSystem.openFile(path) } catch {
            throw Self.unreadable(name, error)
        }
    }

    deinit { close(descriptor) }

    private static func unreadable(_ name: String, _ reason: some CustomStringConvertible) -> VidscanError {
        // A run reads its own temporary file again.
        name == ".frames"
            ? VidscanError(.output, "cannot read its temporary file \(name): \(reason)", stage: .write)
            : .result("cannot read \(name): \(reason)")
    }

    /// Returns fewer bytes only at the end of the file.
    func next(upTo count: Int) throws(VidscanError) -> [UInt8] {
        do throws(SystemError) { return try FileSystem.read(descriptor, limit: count - 1) } catch {
            throw Self.unreadable(name, error)
        }
    }

    /// Any thread may call this. Throws if the file has fewer bytes.
    package func read(_ count: Int, at offset: Int) throws(VidscanError) -> [UInt8] {
        var received = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat {
                received = pread(descriptor, buffer.baseAddress, count, off_t(offset))
            } while received < 0 && errno == EINTR
            initialized = max(received, 0)
        }
        guard received == count else {
            throw Self.unreadable(name, received < 0 ? "\(SystemError.current)" : "it is truncated")
        }
        return bytes
    }

    /// Throws if the file is larger than `limit` bytes; reads at most one byte more.
    func contents(limit: Int) throws(VidscanError) -> [UInt8] {
        let bytes = try next(upTo: limit + 1)
        guard bytes.count <= limit else { throw .result("\(name) is larger than \(limit) bytes") }
        return bytes
    }
}

/// Reads a small file. Refuses large files, pipes and devices, so that no file can take endless time or memory.
package enum TextFile {
    /// `limit` is in bytes. The error says `it` instead of the path.
    package static func read(path: String, limit: Int) throws(VidscanError) -> String {
        let text = String(validating: try bytes(path: path, limit: limit), as: UTF8.self)
        guard let text else { throw .result("is not valid UTF-8") }
        return text
    }

    /// Expands a leading `~`. The error has the path as its input.
    package static func text(named path: String, limit: Int) throws(VidscanError) -> String {
        do { return try read(path: FilePath.expandingHome(path), limit: limit) } catch {
            throw .result(error.reason, input: path)
        }
    }

    /// The error says `it` instead of the path.
    package static func bytes(path: String, limit: Int) throws(VidscanError) -> [UInt8] {
        try ReadableFile(path: path, name: "it").contents(limit: limit)
    }
}

final class BinaryFile {
    private let file: ReadableFile
    private var buffer: [UInt8] = []
    private var position = 0
    private(set) var offset = 0

    init(path: String) throws(VidscanError) { file = try ReadableFile(path: path) }

    var name: String { file.name }
    var size: Int64 { file.size }

    /// Returns `nil` at the end. Throws if fewer bytes are left.
    func take(_ count: Int) throws(VidscanError) -> ArraySlice<UInt8>? {
        while buffer.count - position < count {
            buffer.removeFirst(position)
            position = 0
            let more = try file.next(upTo: max(1 << 16, count))
            if more.isEmpty {
                try require(buffer.isEmpty, "is truncated", at: offset)
                return nil
            }
            buffer += more
        }
        defer { (position, offset) = (position + count, offset + count) }
        return buffer[position..<position + count]
    }

    func problem(_ reason: String, at byte: Int) -> VidscanError {
        VidscanError.result("\(file.name), byte \(byte): \(reason); the file is damaged, analyse the video again")
    }

    func require(_ holds: Bool, _ reason: @autoclosure () -> String, at byte: Int) throws(VidscanError) {
        if !holds { throw problem(reason(), at: byte) }
    }
}

/// The numbers of a frame, a face or a row, in host byte order. Errors name the byte of the last number that was read.
struct NumberReader {
    let file: BinaryFile
    let bytes: ArraySlice<UInt8>
    let start: Int
    private var offset = 0

    /// `bytes` are the last ones that were taken from the file.
    init(_ file: BinaryFile, _ bytes: ArraySlice<UInt8>) {
        (self.file, self.bytes, start) = (file, bytes, file.offset - bytes.count)
    }

    /// Takes the next bytes of a file, which must not end there.
    init(_ file: BinaryFile, count: Int) throws(VidscanError) {
        guard let bytes = try file.take(count) else {
            throw file.problem("ends in the middle of a frame", at: file.offset)
        }
        self.init(file, bytes)
    }

    func require(_ holds: Bool, _ reason: @autoclosure () -> String, size: Int = 4) throws(VidscanError) {
        try file.require(holds, reason(), at: start + offset - size)
    }

    mutating func next<Number: BitwiseCopyable>(_ type: Number.Type) -> Number {
        defer { offset += MemoryLayout<Number>.size }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }

    mutating func integer<Stored: FixedWidthInteger & BitwiseCopyable, Value: FixedWidthInteger>(
        _ stored: Stored.Type, in range: ClosedRange<Value>, _ reason: (Value) -> String
    ) throws(VidscanError) -> Value {
        let value = Value(next(stored))
        try require(range.contains(value), reason(value), size: MemoryLayout<Stored>.size)
        return value
    }

    mutating func flag(_ name: String) throws(VidscanError) -> Bool {
        try integer(UInt8.self, in: 0...1) { _ in "the \(name) flag of a face is neither 0 nor 1" } == 1
    }

    /// Returns NaN only if the number is not required. Rounding to 32 bits may have moved a value slightly beyond the end
    /// of its range; `slack` is relative to that.
    mutating func float(
        _ name: String, of owner: String = "face", in range: ClosedRange<Double>, slack: Double = 1e-6,
        isRequired: Bool = true
    ) throws(VidscanError) -> Double {
        let value = next(Float.self)
        if value.isNaN, !isRequired { return .nan }
        let slack = slack * max(abs(range.lowerBound), abs(range.upperBound))
        try require(
            (range.lowerBound - slack...range.upperBound + slack).contains(Double(value)),
            "a \(owner) has the invalid \(name) \(value)")
        return Double(value)
    }

    /// Returns `nil` if the first value is missing.
    mutating func floats(
        _ count: Int, of name: String, in range: ClosedRange<Double>
    ) throws(VidscanError) -> [Float]? {
        var values: [Float] = []
        for _ in 0..<count { values.append(Float(try float(name, in: range, isRequired: false))) }
        guard values.first?.isNaN == false else { return nil }
        try require(!values.contains(where: \.isNaN), "a face has an incomplete \(name)", size: 4 * count)
        return values
    }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { offset += count }
        return Array(bytes.dropFirst(offset).prefix(count))
    }
}

extension ByteWriter {
    /// In host byte order, as `NumberReader` reads it.
    mutating func write(number: some BitwiseCopyable) { withUnsafeBytes(of: number) { write(bytes: $0) } }
    mutating func write(numbers: [some BitwiseCopyable]) { numbers.withUnsafeBytes { write(bytes: $0) } }
}
