internal import Glibc
internal import VidscanBase

/// Everything on which the content of a compiled model depends. Two models with the same key are interchangeable.
///
/// The number of streams is not part of it: it matters only when a compiled model is loaded.
struct ModelCacheKey: Equatable {
    /// One line for each fact.
    let text: String

    /// The name of the file that holds the model.
    var fileName: String { Self.hexadecimal(XXHash64.checksum(text)) + ModelCache.fileExtension }

    /// - Parameters:
    ///   - path: The path of an ONNX file, or of the `.xml` of an IR pair.
    ///   - inputShape: The shape of the only input; `nil` keeps the shape in the file.
    ///   - precision: OpenVINO's name of the precision of the computation.
    /// - Returns: `nil` if the model's files or the description of the processor cannot be read.
    init?(path: String, inputShape: [Int]?, precision: String) {
        let files = path.hasSuffix(".xml") ? [path, path.dropLast(4) + ".bin"] : [path]
        let contents = files.compactMap { AlignedBytes(path: $0) }
        guard contents.count == files.count, let processor = Self.processor else { return nil }
        text =
            ([
                "OpenVINO \(InferenceRuntime.version)",
                "model \(contents.map { Self.hexadecimal(XXHash64.checksum($0.bytes)) }.joined(separator: " "))",
                "shape \(inputShape.map { "\($0)" } ?? "of the file")", "precision \(precision)",
            ] + processor).joined(separator: "\n")
    }

    /// What decides which instructions OpenVINO uses, and with them how it transforms a model: the processor's
    /// identity and features, and the variables with which a user limits them.
    private static let processor: [String]? = {
        guard let lines = firstProcessor else { return nil }
        let keys = ["vendor_id", "cpu family", "model", "model name", "stepping", "flags"]
        let limits = ["ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"].compactMap { (name: String) in
            getenv(name).map { "\(name) \(String(cString: $0))" }
        }
        return lines.filter { line in
            keys.contains(String(line.prefix { $0 != "\t" && $0 != ":" }))
        } + limits
    }()

    /// The lines of /proc/cpuinfo on the first processor. The kernel makes the text while it is read, and on a machine
    /// with hundreds of processors the whole takes milliseconds.
    private static var firstProcessor: [String]? {
        let file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var lines: [String] = []
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if end == rest.startIndex { return lines }
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeFirst(end - rest.startIndex + 1)
            }
        }
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
