import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanResults

@Suite("Videos are published under neutral names, with private records")
struct PublicationTests {
    private static let original = "/recordings/anna-smith.mp4"

    /// A result with a video with hidden faces.
    private static func result(
        in folder: TemporaryFolder, _ path: String = "a.vidscan", original: String = original, invert: Bool? = false
    ) throws -> Folder {
        let result = "\(folder.path)/\(path)"
        try SyntheticResult.write([], to: result, video: original, keepsEmbeddings: false)
        try make("video", in: folder, path, invert.map { "\"invert\": \($0)" })
        return try Folder(result)
    }

    /// A video with hidden faces, and its record with more `members`; `nil` for no record.
    private static func make(
        _ video: String, in folder: TemporaryFolder, _ path: String = "a.vidscan",
        _ members: String? = "\"invert\": false"
    ) throws {
        try folder.write(video, to: path + "/anonymized.mp4")
        let digest = try digest("\(folder.path)/\(path)/anonymized.mp4")
        if let members { try folder.write("{\(members), \"sha256\": \"\(digest)\"}", to: path + "/anonymized.json") }
    }

    private static func digest(_ path: String) throws -> String {
        String(try ChildProcess.run(["sha256sum", path]).output.prefix(64))
    }

    private static func publication(
        _ folder: TemporaryFolder, replaces: Bool = false, sources: [String] = []
    ) throws -> Publication {
        try Publication(folder: folder.path + "/public", approver: "Ada", replaces: replaces, sources: sources)
    }

    /// A result that has been published.
    private static func published() async throws -> (TemporaryFolder, Publication, Folder, name: String) {
        let folder = try TemporaryFolder()
        let (publication, result) = (try publication(folder), try result(in: folder))
        return (
            folder, publication, result,
            try #require(try await publication.publish(result, covers: nil, verify: nil)).name
        )
    }

    private static func names(_ folder: TemporaryFolder, _ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(path)").sorted()
    }

    private static func records(_ folder: TemporaryFolder) throws -> [[String: Any]] {
        try names(folder, "public.private").filter { $0.hasSuffix(".json") }.map { name in
            let object = try JSONSerialization.jsonObject(with: try folder.bytes("public.private/\(name)"))
            return try #require(object as? [String: Any])
        }
    }

    @Test(
        "The copy has the video's bytes and a number for a name; the private record says whose it is and who approved")
    func record() async throws {
        let folder = try TemporaryFolder()
        let name = try await Self.publication(folder).publish(Self.result(in: folder), covers: nil, verify: nil)
        let published = try #require(name).name
        #expect(published.wholeMatch(of: /video-\d{10}\.mp4/) != nil)
        #expect(try Self.names(folder, "public") == [published])
        #expect(try folder.text("public/" + published) == "video")
        let record = try #require(try Self.records(folder).first)
        #expect(record["original"] as? String == Self.original && record["video"] as? String == published)
        #expect(record["approved_by"] as? String == "Ada" && record["verified"] as? Bool == false)
        // Of `sha256sum`.
        let digest = "0cab1c9617404faf2b24e221e189ca5945813e14d3f766345b09ca13bbe28ffc"
        #expect(record["sha256"] as? String == digest)
        #expect((record["approved_at"] as? String)?.hasSuffix("Z") == true)
        let status = try FileManager.default.attributesOfItem(atPath: folder.path + "/public.private")
        #expect(status[.posixPermissions] as? Int == 0o700)
    }

    @Test("Names are the same in every run and order, differ between originals, and depend on the private key")
    func names() throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let (one, two) = (try Self.publication(folder), try Self.publication(folder))
        let originals = (0..<100).map { "/recordings/\($0).mp4" }
        let names = originals.map(one.name)
        #expect(names == originals.reversed().map(two.name).reversed())
        #expect(Set(names).count == 100 && names != names.sorted())
        #expect(names != originals.map(try Self.publication(other).name))
    }

    @Test("What is published already stays as it is, and another version replaces it only on request")
    func versions() async throws {
        let (folder, publication, result, name) = try await Self.published()
        #expect(try await publication.publish(result, covers: nil, verify: nil) == nil)
        try Self.make("better", in: folder)
        await #expect(throws: VidscanError.self) { try await publication.publish(result, covers: nil, verify: nil) }
        #expect(try folder.text("public/" + name) == "video")
        #expect(
            try await Self.publication(folder, replaces: true).publish(result, covers: nil, verify: nil)?.name == name)
        #expect(try folder.text("public/" + name) == "better")
        // Who approved the first version stays on record.
        #expect(try Self.records(folder).count == 2)
    }

    @Test("Without the key of what is published, nothing more is, because originals would get new numbers")
    func missingKey() async throws {
        let (folder, _, _, _) = try await Self.published()
        let (kept, elsewhere) = (folder.path + "/public.private", folder.path + "/elsewhere")
        try FileManager.default.moveItem(atPath: kept, toPath: elsewhere)
        #expect(throws: VidscanError.self) { try Self.publication(folder) }
        #expect(!FileManager.default.fileExists(atPath: kept))
        try FileManager.default.createSymbolicLink(atPath: kept, withDestinationPath: elsewhere)
        let again = try await Self.publication(folder).publish(
            Folder(folder.path + "/a.vidscan"), covers: nil, verify: nil)
        #expect(again == nil)
    }

    @Test("What was removed from the folder stays away, until it is forced or there is another version")
    func withdrawn() async throws {
        let (folder, publication, result, name) = try await Self.published()
        let path = "\(folder.path)/public/\(name)"
        try FileManager.default.removeItem(atPath: path)
        for _ in 0..<2 {
            let error = await #expect(throws: Publication.Withdrawal.self) {
                try await publication.publish(result, covers: nil) { _ in }
            }
            #expect(error?.video == name)
        }
        #expect(try Self.names(folder, "public") == [])
        #expect(
            try await Self.publication(folder, replaces: true).publish(result, covers: nil, verify: nil)?.name == name)
        try FileManager.default.removeItem(atPath: path)
        try Self.make("better", in: folder)
        #expect(try await publication.publish(result, covers: nil, verify: nil)?.name == name)
        #expect(try folder.text("public/" + name) == "better")
    }

    @Test("A video whose publication was cut off is published by the next run")
    func cutOff() async throws {
        let (folder, publication, result, name) = try await Self.published()
        let record = try #require(try Self.names(folder, "public.private").first { $0.hasSuffix(".json") })
        let text = try folder.text("public.private/" + record)
        let before = text.replacing(/\n? *"appeared" ?: ?true,?/, with: "")
        #expect(before != text)
        try folder.write(before, to: "public.private/" + record)
        try FileManager.default.removeItem(atPath: "\(folder.path)/public/\(name)")
        #expect(try await publication.publish(result, covers: nil, verify: nil)?.name == name)
    }

    @Test("A video that fails its check, or changes meanwhile, does not appear")
    func checked() async throws {
        let folder = try TemporaryFolder()
        let publication = try Self.publication(folder)
        let result = try Self.result(in: folder)
        await #expect(throws: VidscanError.result("a face")) {
            try await publication.publish(result, covers: nil) { _ in throw VidscanError.result("a face") }
        }
        await #expect(throws: VidscanError.self) {
            try await publication.publish(result, covers: nil) { _ in
                try folder.write("swapped", to: "a.vidscan/anonymized.mp4")
            }
        }
        try Self.make("video", in: folder)
        #expect(try Self.names(folder, "public") == [] && Self.records(folder).isEmpty)
        #expect(try await publication.publish(result, covers: nil) { _ in } != nil)
        #expect(try Self.records(folder).map { $0["verified"] as? Bool } == [true])
        // Once is enough for the same bytes.
        #expect(try await publication.publish(result, covers: nil) { _ in throw VidscanError.result("again") } == nil)
    }

    @Test("What was published without a check is checked later on request, under the same approval")
    func later() async throws {
        let folder = try TemporaryFolder()
        let publication = try Self.publication(folder)
        let result = try Self.result(in: folder)
        let name = try await publication.publish(result, covers: nil, verify: nil)?.name
        let first = try #require(try Self.records(folder).first)
        #expect(try await publication.publish(result, covers: nil) { _ in }?.name == name)
        let second = try #require(try Self.records(folder).first)
        #expect(second["verified"] as? Bool == true)
        #expect(second["approved_at"] as? String == first["approved_at"] as? String)
    }

    @Test("Videos that show faces, that have no record, or whose result or original lies in the folder are refused")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let publication = try Self.publication(folder)
        let place = FilePath.resolved(folder.path + "/public")
        let original = folder.path + "/public/video-0000000001.mp4"
        var cases = [
            (try Self.result(in: folder, "inverted.vidscan", invert: true), "its anonymized.mp4 shows the faces"),
            (try Self.result(in: folder, "unrecorded.vidscan", invert: nil), "its anonymized.mp4 has no record"),
            (try Self.result(in: folder, "public/a.mp4.vidscan"), "it lies in \(place); name another folder"),
            (
                try Self.result(in: folder, "again.vidscan", original: original),
                "its original lies in \(place); name another folder"
            ),
            (try Self.result(in: folder, "two.vidscan"), "it has several videos with hidden faces"),
            (try Self.result(in: folder, "linked.vidscan"), "its anonymized.mp4 is not a regular file"),
            (try Self.result(in: folder, "empty.vidscan"), "it has no video with hidden faces"),
        ]
        try folder.write("video", to: "two.vidscan/anonymized.mkv")
        for name in ["linked", "empty"] {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name).vidscan/anonymized.mp4")
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/linked.vidscan/anonymized.mp4",
            withDestinationPath: folder.path + "/two.vidscan/anonymized.mp4")
        let other = "its anonymized.mp4 is not the video whose SHA-256 anonymized.json has"
        for (name, digest) in [("exchanged", ", \"sha256\": \"\(String(repeating: "0", count: 64))\""), ("bare", "")] {
            cases.append((try Self.result(in: folder, name + ".vidscan"), other))
            try folder.write("{\"invert\": false\(digest)}", to: name + ".vidscan/anonymized.json")
        }
        for (result, reason) in cases {
            let error = await #expect(throws: VidscanError.self) {
                try await publication.publish(result, covers: nil, verify: nil)
            }
            #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
        }
        #expect(try Self.records(folder).isEmpty)
    }

    @Test("A video is published only with the covers and, if somebody is kept, the corrections that it was made with")
    func changed() async throws {
        let (folder, publication, result, name) = try await Self.published()
        let box = #"{"time": 1, "box": [0, 0, 9, 9]}"#
        try folder.write(
            #"{"format": "vidscan covers 1", "video": {"name": "a", "bytes": 1}, "covers": ["#
                + #"{"do": "cover", "what": "face", "keyframes": [\#(box)]}, {"do": "release", "keyframes": [\#(box)]}]}"#,
            to: "covers.json")
        let covers = folder.path + "/covers.json"
        let changed = VidscanError(.changed, "its covers have changed since its video was made")
        await #expect(throws: changed) { try await publication.publish(result, covers: covers, verify: nil) }
        #expect(publication.copy(of: result)?.hasSuffix("/public/" + name) == true)
        let made = #""invert": false, "covers": {"sha256": "\#(try Self.digest(covers))", "count": 2}"#
        try Self.make("covered", in: folder, "a.vidscan", made)
        await #expect(throws: changed) { try await publication.publish(result, covers: nil, verify: nil) }
        let replacing = try Self.publication(folder, replaces: true)
        var copy = try #require(try await replacing.publish(result, covers: covers, verify: nil))
        #expect(copy.visible == "released covers 2")
        let kept = #", "visible": {"kept_person_ids": [2, 5], "kept_face_ids": [7], "hidden_face_ids": [1]}"#
        try Self.make("kept", in: folder, "a.vidscan", made + kept)
        copy = try #require(try await replacing.publish(result, covers: covers, verify: nil))
        #expect(copy.visible == "people 2, 5; faces 7; released covers 2")
        #expect(try Self.records(folder).compactMap { $0["visible"] as? String }.contains(copy.visible ?? ""))
        try Self.make("kept", in: folder, "a.vidscan", made + kept + #", "corrections": "0""#)
        await #expect(throws: VidscanError(.changed, "its corrections have changed since its video was made")) {
            try await replacing.publish(result, covers: covers, verify: nil)
        }
        try folder.write("{", to: "covers.json")
        await #expect(throws: VidscanError.self) { try await replacing.publish(result, covers: covers, verify: nil) }
    }

    @Test("A folder with results or originals in it is refused before anything is created")
    func sources() throws {
        let folder = try TemporaryFolder()
        #expect(throws: VidscanError.self) {
            try Self.publication(folder, sources: ["/elsewhere", folder.path + "/public/a.mp4.vidscan"])
        }
        #expect(folder.entries.isEmpty)
    }

    @Test("Private records inside the published folder are refused, and so is a damaged key")
    func privacy() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/public/in", withIntermediateDirectories: true)
        let link = folder.path + "/public.private"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path + "/public/in")
        #expect(throws: VidscanError.self) { try Self.publication(folder) }
        #expect(try Self.names(folder, "public/in") == [])
        try FileManager.default.removeItem(atPath: link)
        _ = try Self.publication(folder)
        try folder.write("short", to: "public.private/key")
        #expect(throws: VidscanError.self) { try Self.publication(folder) }
    }

    @Test("Another format of a published video is another version of it: an error, or with --force its replacement")
    func formats() async throws {
        let (folder, publication, result, name) = try await Self.published()
        for ending in ["mp4", "json"] {
            try FileManager.default.removeItem(atPath: folder.path + "/a.vidscan/anonymized." + ending)
        }
        try folder.write("other", to: "a.vidscan/anonymized.mkv")
        let digest = try Self.digest(folder.path + "/a.vidscan/anonymized.mkv")
        try folder.write("{\"invert\": false, \"sha256\": \"\(digest)\"}", to: "a.vidscan/anonymized.json")
        let error = await #expect(throws: VidscanError.self) {
            try await publication.publish(result, covers: nil, verify: nil)
        }
        #expect(
            error?.reason.hasSuffix("/\(name) is another version of it; remove it, or replace it with --force") == true)
        #expect(try Self.names(folder, "public") == [name])
        let replaced = try await Self.publication(folder, replaces: true).publish(result, covers: nil, verify: nil)
        #expect(try Self.names(folder, "public") == [try #require(replaced).name])
        #expect(replaced?.name.hasSuffix(".mkv") == true)
    }

    @Test("A file that is no version of the video is not replaced, and a number of another original is not used")
    func foreign() async throws {
        let (folder, _, result, name) = try await Self.published()
        let replacing = try Self.publication(folder, replaces: true)
        try folder.write("mine", to: "public/" + name.replacing("mp4", with: "mkv"))
        var error = await #expect(throws: VidscanError.self) {
            try await replacing.publish(result, covers: nil, verify: nil)
        }
        #expect(error?.reason.hasSuffix(" has its name, and is not a version of it; remove it") == true)
        let record = try #require(try Self.names(folder, "public.private").first { $0.hasPrefix("video-") })
        let text = try folder.text("public.private/" + record)
        try folder.write(text.replacing(Self.original, with: "/recordings/other.mp4"), to: "public.private/" + record)
        error = await #expect(throws: VidscanError.self) {
            try await replacing.publish(result, covers: nil, verify: nil)
        }
        #expect(error?.reason == "/recordings/other.mp4 has its number; name another folder")
    }
}
