public import VidscanBase
internal import VidscanResults

/// The notices in `run.json` of a finished result.
public struct ResultNotices: Sendable, Decodable {
    /// Limits of the result, in words, without those that are warnings while it is made.
    public let texts: [String]

    private enum CodingKeys: String, CodingKey {
        case texts = "notices"
    }

    public init(from decoder: any Decoder) throws {
        let all = try decoder.container(keyedBy: CodingKeys.self).decode([String].self, forKey: .texts)
        texts = all.filter { !$0.hasPrefix(IdentifyingFiles.advice) }
    }

    /// - Parameter resultPath: The path of the result folder.
    /// - Throws: `VidscanError` if the record cannot be read.
    public init(resultPath: String) throws(VidscanError) {
        self = try RecordFile.decode(Self.self, folder: resultPath, name: ResultFolder.Kind.result.record)
    }
}
