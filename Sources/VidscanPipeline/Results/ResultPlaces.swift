internal import Foundation

/// Where the results of inputs go.
public enum ResultPlaces {
    /// One folder for each input: its file name with `.vidscan` after it. The whole file name, because `a.mp4` and
    /// `a.mov` are two inputs; inputs of the same name from different folders are numbered, in order.
    ///
    /// - Parameter folder: that holds the results; `nil` means the current one.
    /// - Returns: absolute paths, in the order of `inputs`.
    public static func plan(inputs: [String], folder: String?) -> [String] {
        let current = FileManager.default.currentDirectoryPath
        let base = folder.map { ($0 as NSString).isAbsolutePath ? $0 : current + "/" + $0 } ?? current
        var taken: Set<String> = []
        return inputs.map { input in
            let name = (input as NSString).lastPathComponent
            var candidate = "\(name).vidscan"
            var number = 2
            while !taken.insert(candidate).inserted {
                candidate = "\(name)-\(number).vidscan"
                number += 1
            }
            return ((base as NSString).standardizingPath as NSString).appendingPathComponent(candidate)
        }
    }
}
