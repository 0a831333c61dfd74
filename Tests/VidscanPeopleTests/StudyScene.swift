import Foundation
import TestSupport
import VidscanBase
import VidscanPeople

/// A folder with synthetic results and a study of them.
struct StudyScene {
    typealias Track = SyntheticResult.Track

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    var study: String { folder.path + "/study" }

    func result(_ video: String) -> String { "\(folder.path)/results/\(video).vidscan" }

    func add(_ video: String, _ tracks: [Track], keepsEmbeddings: Bool = true) throws {
        try SyntheticResult.write(
            tracks, to: result(video), video: "/videos/\(video)", keepsEmbeddings: keepsEmbeddings)
    }

    /// Adds a video of one person whose face has this direction.
    func add(_ video: String, _ coordinates: [Int: Double]) throws {
        try add(video, face: SyntheticFace.vector(coordinates))
    }

    /// Adds a video of one person.
    ///
    /// - Parameter samples: In how many samples the face was seen.
    func add(_ video: String, face: [Float], samples: Int = 1) throws {
        try add(video, together: [face], samples: samples)
    }

    /// Adds a video of people who are all seen at the same time.
    func add(_ video: String, together faces: [[Float]], samples: Int = 1) throws {
        try add(
            video,
            faces.enumerated().map { index, face in
                Track(face: index + 1, embeddings: Array(repeating: face, count: samples))
            })
    }

    /// Adds a video of people on these axes, who are all seen at the same time.
    func add(_ video: String, together axes: [Int]) throws {
        try add(video, together: axes.map { SyntheticFace.vector([$0: 1]) })
    }

    /// - Parameter corrections: The list in the file of corrections.
    @discardableResult
    func run(
        _ results: [String]? = nil, corrections: String? = nil, _ change: (inout PeopleStudy.Options) -> Void = { _ in }
    ) async throws -> PeopleStudy.Summary {
        var options = PeopleStudy.Options()
        options.hasThumbnails = false
        if let corrections {
            let file = #"{"format": "vidscan study corrections 1", "corrections": [\#(corrections)]}"#
            options.corrections = try folder.write(file, to: "corrections.json")
        }
        change(&options)
        return try await PeopleStudy(options: options).run(
            results: results ?? [folder.path + "/results"], folder: study)
    }

    /// The reason why a run failed.
    func failure(corrections: String) async -> String {
        do {
            try await run([], corrections: corrections)
            return "no error"
        } catch let error as VidscanError {
            return error.description.replacing(folder.path + "/", with: "")
        } catch {
            return "\(error)"
        }
    }

    var table: CSVTable { get throws { try CSVTable(path: study + "/people.csv") } }

    /// The number of each person, by video and the first `face_id`: `a.mp4 1`.
    var numbers: [String: Int] {
        get throws {
            let table = try table
            var numbers: [String: Int] = [:]
            for row in table.rows.indices {
                let video = try table.text("video", row).replacing("/videos/", with: "")
                for face in try table.text("face_ids", row).split(separator: " ") {
                    numbers["\(video) \(face)"] = Int(try table.text("study_person_id", row))
                }
            }
            return numbers
        }
    }

    /// Returns the confidence of the person in a video of one person.
    func confidence(_ video: String) throws -> Double {
        let table = try table
        let row = try table.texts("video").firstIndex(of: "/videos/\(video)")
        return try row.flatMap { try table.number("confidence", $0) } ?? -1
    }

    static func join(_ people: Int...) -> String { #"{"do": "same_person", "people": \#(people)}"# }

    /// `members` are those after the number of the person.
    static func split(_ person: Int, _ members: String) -> String {
        #"{"do": "split", "person": \#(person), \#(members)}"#
    }

    static func name(_ person: Int, _ name: String) -> String {
        #"{"do": "name", "person": \#(person), "name": "\#(name)"}"#
    }
}
