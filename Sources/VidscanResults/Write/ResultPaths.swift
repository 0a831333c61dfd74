internal import Foundation
public import VidscanBase

/// Where the results of inputs go.
public enum ResultPaths {
    /// One folder for each input: its file name with `.vidscan` after it. The whole file name, because `a.mp4` and
    /// `a.mov` are two inputs; inputs of the same name from different folders are numbered, in order.
    ///
    /// - Parameters:
    ///   - folder: that holds the results; `nil` means the current one.
    ///   - segment: when a part of each is made: `a.mp4.part-2-of-7`.
    /// - Returns: absolute paths, in the order of `inputs`.
    public static func plan(inputs: [String], folder: String?, segment: VideoSegment? = nil) -> [String] {
        let ending = segment.map(partEnding) ?? resultEnding
        let base = absolute(folder)
        var taken: Set<String> = []
        return inputs.map { input in
            let name = (input as NSString).lastPathComponent
            var candidate = name + ending
            var number = 2
            while !taken.insert(candidate).inserted {
                candidate = "\(name)-\(number)\(ending)"
                number += 1
            }
            return (base as NSString).appendingPathComponent(candidate)
        }
    }

    /// - Parameter folder: that holds the results; `nil` means the current one.
    /// - Returns: the absolute path of a result that lies in it.
    public static func place(of resultName: String, folder: String?) -> String {
        (absolute(folder) as NSString).appendingPathComponent(resultName)
    }

    static let resultEnding = ".vidscan"

    private static func partEnding(_ segment: VideoSegment) -> String {
        ".part-\(segment.index)-of-\(segment.count)"
    }

    /// What the joined parts are called, of which one lies at a path.
    package static func resultName(ofPart path: String, _ segment: VideoSegment) -> String {
        let name = (path as NSString).lastPathComponent
        let ending = partEnding(segment)
        return (name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name) + resultEnding
    }

    private static func absolute(_ folder: String?) -> String {
        let current = FileManager.default.currentDirectoryPath
        let path = folder.map { ($0 as NSString).isAbsolutePath ? $0 : current + "/" + $0 } ?? current
        return (path as NSString).standardizingPath
    }
}
