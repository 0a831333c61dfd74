import Foundation
import Testing
import TestSupport

/// Short videos with a secret in every metadata field.
struct PlantedSource {
    let name: String
    /// Texts that the file contains.
    let secrets: [String]

    static let all = ["SECsource.mp4", "SECsource.mov", "SECsource.mkv", "SECsource.ts", "SECsource.jpg"]

    private static let ffmpeg = ["ffmpeg", "-nostdin", "-v", "error", "-y"]

    /// Makes a file in a folder. The extension decides the format.
    static func make(_ name: String, in folder: TemporaryFolder) throws -> PlantedSource {
        switch name.split(separator: ".").last {
        case "jpg": return try picture(name, in: folder)
        case "mp4": return try mp4(name, in: folder)
        case "mov": return try mov(name, in: folder)
        case "mkv": return try mkv(name, in: folder)
        default: return try transportStream(name, in: folder)
        }
    }

    private static func run(_ arguments: [String], in folder: TemporaryFolder) throws {
        let made = try ChildProcess.run(ffmpeg + arguments, in: folder.path)
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Ten frames of a face, each with a message and captions.
    private static func elementaryStream(in folder: TemporaryFolder) throws {
        try run(
            [
                "-ss", "1", "-i", Checkout.clip, "-frames:v", "10", "-an", "-c:v", "libx264", "-bf", "0", "-bsf:v",
                "h264_metadata=sei_user_data=086f3693-b7b3-4f2c-9653-21492feee5b8+SECseiMessage", "plain.h264",
            ], in: folder)
        let stream = Array(try folder.bytes("plain.h264"))
        // A supplemental message (ITU-T H.264, D.1.6) with captions (CTA-708, 4.4): three bytes for two characters.
        let pairs = Array(captions.utf8)
        var message: [UInt8] = [0xB5, 0, 0x31] + Array("GA94".utf8) + [3, 0x40 | UInt8(pairs.count / 2), 0xFF]
        for index in stride(from: 0, to: pairs.count, by: 2) { message += [0xFC, pairs[index], pairs[index + 1]] }
        message.append(0xFF)
        let unit: [UInt8] = [0, 0, 1, 6, 4, UInt8(message.count)] + message + [0x80]
        var captioned: [UInt8] = []
        for (index, byte) in stream.enumerated() {
            let isStart = index + 3 < stream.count && stream[index...].starts(with: [0, 0, 1])
            if isStart, [1, 5].contains(stream[index + 3] & 31) { captioned += unit }
            captioned.append(byte)
        }
        try Data(captioned).write(to: URL(fileURLWithPath: folder.path + "/video.h264"))
        try folder.write(
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=200\ntitle=SECchapter\n", to: "chapters.txt")
        try run(["-f", "lavfi", "-i", "sine=440:d=0.4", "-c:a", "aac", "sound.m4a"], in: folder)
    }

    private static let captions = "SECcaptions!"
    static let captionBytes = stride(from: 0, to: captions.utf8.count, by: 2).flatMap { index in
        [0xFC] + Array(captions.utf8)[index..<index + 2]
    }

    private static func mp4(_ name: String, in folder: TemporaryFolder) throws -> PlantedSource {
        try elementaryStream(in: folder)
        let cover = ["-f", "lavfi", "-i", "color=red:s=32x32", "-frames:v", "1", "plain.jpg"]
        try run(cover, in: folder)
        var jpeg = Array(try folder.bytes("plain.jpg"))
        jpeg.insert(contentsOf: segment(0xFE, "SECcover"), at: 2)
        try Data(jpeg).write(to: URL(fileURLWithPath: folder.path + "/cover.jpg"))
        try run(
            [
                "-r", "25", "-i", "video.h264", "-i", "sound.m4a", "-i", "cover.jpg", "-i", "chapters.txt", "-map", "0",
                "-map", "1", "-map", "2", "-map_chapters", "3", "-c", "copy", "-disposition:v:1", "attached_pic",
                "-metadata", "title=SECtitle", "-metadata", "artist=SECartist", "-metadata", "comment=SECcomment",
                "-metadata", "location=+48.1+011.5/SEClocation", "-metadata",
                "creation_time=2001-02-03T04:05:06Z", "-metadata:s:v:0", "handler_name=SECvideoHandler",
                "-metadata:s:a:0", "handler_name=SECsoundHandler", "-metadata:s:a:0", "language=swe", name,
            ], in: folder)
        // An XMP packet in its own box.
        let identifier: [UInt8] = [
            0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
        ]
        let content = identifier + Array("<x:xmpmeta>SECxmp</x:xmpmeta>".utf8)
        let box = [0, 0, 0, UInt8(8 + content.count)] + Array("uuid".utf8) + content
        try replaceEncoderNames(by: "SECencoder", in: name, folder)
        try Data(Array(try folder.bytes(name)) + box).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        return PlantedSource(
            name: name,
            secrets: [
                "SECseiMessage", "SECcover", "SECtitle", "SECartist", "SECcomment", "SEClocation", "SECvideoHandler",
                "SECsoundHandler", "SECchapter", "SECxmp", "SECencoder",
            ])
    }

    private static func mov(_ name: String, in folder: TemporaryFolder) throws -> PlantedSource {
        try elementaryStream(in: folder)
        try run(
            [
                "-r", "25", "-i", "video.h264", "-i", "sound.m4a", "-map", "0", "-map", "1", "-c", "copy", "-movflags",
                "use_metadata_tags", "-metadata", "com.apple.quicktime.location.ISO6709=SECplace", "-metadata",
                "com.apple.quicktime.make=SECmake", "-metadata", "com.apple.quicktime.model=SECmodel", "-timecode",
                "01:02:03:04", "-metadata:s:v:0", "reel_name=SECreel", name,
            ], in: folder)
        return PlantedSource(
            name: name, secrets: ["SECseiMessage", "SECplace", "SECmake", "SECmodel", "SECreel"])
    }

    private static func mkv(_ name: String, in folder: TemporaryFolder) throws -> PlantedSource {
        try elementaryStream(in: folder)
        try folder.write("SECattachment", to: "font.ttf")
        try run(
            ["-f", "lavfi", "-i", "sine=440:d=0.4", "-ac", "2", "-c:a", "vorbis", "-strict", "-2", "sound.mkv"],
            in: folder)
        try run(
            [
                "-r", "25", "-i", "video.h264", "-i", "sound.mkv", "-i", "chapters.txt", "-map", "0", "-map", "1",
                "-map_chapters", "2", "-c", "copy", "-attach", "font.ttf", "-metadata:s:t", "mimetype=font/ttf",
                "-metadata:s:t", "filename=SECfontName.ttf", "-metadata", "title=SECtitle", "-metadata:s:v",
                "title=SECstreamTitle", "-metadata:s:a", "title=SECsoundTitle", "-metadata:s:a", "language=swe",
                "-metadata", "anything=SECtag", name,
            ], in: folder)
        // The names in the Vorbis headers and of the program that wrote the file.
        try replaceEncoderNames(by: "SECencoder", in: name, folder)
        return PlantedSource(
            name: name,
            secrets: [
                "SECseiMessage", "SECattachment", "SECfontName", "SECtitle", "SECstreamTitle", "SECsoundTitle",
                "SECtag",
                "SECchapter", "SECencoder",
            ])
    }

    private static func transportStream(_ name: String, in folder: TemporaryFolder) throws -> PlantedSource {
        try elementaryStream(in: folder)
        try folder.write("SECdata", to: "data.bin")
        try run(
            [
                "-r", "25", "-i", "video.h264", "-i", "sound.m4a", "-f", "data", "-i", "data.bin", "-map", "0", "-map",
                "1", "-map", "2", "-c", "copy", "-metadata", "service_name=SECservice", "-metadata",
                "service_provider=SECprovider", name,
            ], in: folder)
        return PlantedSource(name: name, secrets: ["SECseiMessage", "SECservice", "SECprovider", "SECdata"])
    }

    /// A photograph with a comment, a description and a colour profile.
    private static func picture(_ name: String, in folder: TemporaryFolder) throws -> PlantedSource {
        try run(["-ss", "1", "-i", Checkout.clip, "-frames:v", "1", "-pix_fmt", "yuvj420p", "plain.jpg"], in: folder)
        var jpeg = Array(try folder.bytes("plain.jpg"))
        let segments =
            segment(0xE1, "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>SECxmp</x:xmpmeta>")
            + segment(0xE2, "ICC_PROFILE\0\u{1}\u{1}SECprofile") + segment(0xFE, "SECcomment")
        jpeg.insert(contentsOf: segments, at: 2)
        try Data(jpeg).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        return PlantedSource(name: name, secrets: ["SECxmp", "SECprofile", "SECcomment"])
    }

    private static func segment(_ marker: UInt8, _ text: String) -> [UInt8] {
        [0xFF, marker, 0, UInt8(text.utf8.count + 2)] + Array(text.utf8)
    }

    /// Overwrites the names that FFmpeg's libraries leave, such as `Lavc59.37.100`, keeping their lengths.
    private static func replaceEncoderNames(by secret: String, in name: String, _ folder: TemporaryFolder) throws {
        var bytes = Array(try folder.bytes(name))
        var found = 0
        for index in bytes.indices.dropLast(secret.utf8.count)
        where bytes[index...].starts(with: "Lavc".utf8) || bytes[index...].starts(with: "Lavf".utf8) {
            guard bytes[(index + 4)...].prefix(secret.utf8.count - 4).allSatisfy({ (0x2E...0x39).contains($0) }) else {
                continue
            }
            bytes.replaceSubrange(index..<index + secret.utf8.count, with: secret.utf8)
            found += 1
        }
        try #require(found > 0)
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/" + name))
    }
}
