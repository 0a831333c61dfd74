public import VidscanBase

/// Decides where the results of inputs are stored.
public enum ResultPaths {
    /// Returns one absolute path per input, in order: the file name with `.vidscan` appended. The extension stays
    /// because `a.mp4` and `a.mov` are different inputs. Inputs with the same name from different folders are numbered.
    ///
    /// `folder` holds the results; `nil` means the current one. With a `segment`, names are like `a.mp4.part-2-of-7`.
    public static func plan(inputs: [String], folder: String?, segment: VideoSegment? = nil) -> [String] {
        let ending = segment.map(partEnding) ?? resultEnding
        let base = absolute(folder)
        var taken: Set<PathBytes> = []
        return inputs.map { input in
            let name = FilePath.name(of: input)
            var candidate = name + ending
            var number = 2
            while !taken.insert(PathBytes(candidate)).inserted {
                candidate = "\(name)-\(number)\(ending)"
                number += 1
            }
            return FilePath.joining(base, candidate)
        }
    }

    /// Returns the absolute path of a result in `folder`; `nil` means the current one.
    public static func path(of resultName: String, folder: String?) -> String {
        FilePath.joining(absolute(folder), resultName)
    }

    static let resultEnding = ".vidscan"
    /// Precedes the number in the name of a result that was set aside: `a.mp4.vidscan.previous-1`.
    static let previousEnding = ".previous-"

    /// Includes results that were set aside.
    package static func isResult(_ name: String) -> Bool { name.hasSuffix(resultEnding) || isPrevious(name) }

    package static func isPrevious(_ name: String) -> Bool {
        name.wholeMatch(of: /(?s).*\.vidscan\.previous-\d+/) != nil
    }

    private static func partEnding(_ segment: VideoSegment) -> String { ".part-\(segment.index)-of-\(segment.count)" }

    /// Returns the name of the merged result to which the segment folder at `path` belongs.
    package static func resultName(ofPart path: String, _ segment: VideoSegment) -> String {
        let name = FilePath.name(of: path)
        let ending = partEnding(segment)
        return (name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name) + resultEnding
    }

    private static func absolute(_ folder: String?) -> String {
        FilePath.absolute(FilePath.expandingHome(folder ?? "."))
    }
}
