internal import Foundation
internal import FoundationXML
internal import VidscanBase

/// An ELAN document in the EAF format 3.0 (Max Planck Institute for Psycholinguistics, "ELAN Annotation Format").
///
/// What its schema demands, and the order of the elements: HEADER, TIME_ORDER, TIER…, LINGUISTIC_TYPE…, CONSTRAINT…. A time
/// slot has an id that is an XML name and a number of milliseconds; annotations have ids and refer to two slots; a tier
/// refers to a linguistic type. ELAN also wants the slots in order of time, and no overlaps within a tier.
struct ELANDocument {
    struct Media {
        /// From the root.
        let path: String
        /// From the document's folder.
        let relativePath: String
        /// For example `video/mp4`.
        let type: String
        /// In seconds since 1970. It is the date of the document, so that the same result gives the same file.
        let modified: Double
    }

    let tiers: [Tier]
    let media: Media

    func text() -> String {
        let moments = Set(tiers.flatMap { $0.annotations.flatMap { [$0.beginMilliseconds, $0.endMilliseconds] } })
        let slots = moments.sorted().enumerated().map { (moment: $1, id: "ts\($0 + 1)") }
        let ids = Dictionary(uniqueKeysWithValues: slots.map { ($0.moment, $0.id) })
        var children = [
            header(),
            XMLElement(
                "TIME_ORDER", [],
                slots.map { XMLElement("TIME_SLOT", [("TIME_SLOT_ID", $0.id), ("TIME_VALUE", "\($0.moment)")]) }),
        ]
        var number = 0
        for tier in tiers { children.append(element(of: tier, slots: ids, number: &number)) }
        let type = [
            ("GRAPHIC_REFERENCES", "false"), ("LINGUISTIC_TYPE_ID", Self.linguisticType), ("TIME_ALIGNABLE", "true"),
        ]
        children.append(XMLElement("LINGUISTIC_TYPE", type))
        let root = XMLElement(
            "ANNOTATION_DOCUMENT",
            [
                ("AUTHOR", "vidscan \(Vidscan.version)"),
                ("DATE", Date(timeIntervalSince1970: media.modified.rounded(.down)).formatted(.iso8601)),
                ("FORMAT", "3.0"), ("VERSION", "3.0"), ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
                ("xsi:noNamespaceSchemaLocation", "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"),
            ], children)
        let document = XMLDocument(rootElement: root)
        document.version = "1.0"
        document.characterEncoding = "UTF-8"
        return String(decoding: document.xmlData(options: .nodePrettyPrint), as: UTF8.self)
    }

    private func header() -> XMLElement {
        // ELAN takes what follows "file:" as a path, and decodes nothing.
        let descriptor = XMLElement(
            "MEDIA_DESCRIPTOR",
            [
                ("MEDIA_URL", "file://" + media.path), ("MIME_TYPE", media.type),
                ("RELATIVE_MEDIA_URL", media.relativePath),
            ])
        let count = "\(tiers.reduce(0) { $0 + $1.annotations.count })"
        return XMLElement(
            "HEADER", [("MEDIA_FILE", ""), ("TIME_UNITS", "milliseconds")],
            [descriptor, XMLElement("PROPERTY", [("NAME", "lastUsedAnnotationId")], text: count)])
    }

    /// `slots` are the ids of the time slots, by milliseconds.
    private func element(of tier: Tier, slots: [Int64: String], number: inout Int) -> XMLElement {
        let annotations = tier.annotations.compactMap { annotation -> XMLElement? in
            guard let begin = slots[annotation.beginMilliseconds], let end = slots[annotation.endMilliseconds],
                annotation.beginMilliseconds < annotation.endMilliseconds
            else { return nil }
            number += 1
            let aligned = XMLElement(
                "ALIGNABLE_ANNOTATION",
                [("ANNOTATION_ID", "a\(number)"), ("TIME_SLOT_REF1", begin), ("TIME_SLOT_REF2", end)],
                [XMLElement("ANNOTATION_VALUE", [], text: annotation.label)])
            return XMLElement("ANNOTATION", [], [aligned])
        }
        let participant = tier.speaker.map { [("PARTICIPANT", $0)] } ?? []
        return XMLElement(
            "TIER", [("LINGUISTIC_TYPE_REF", Self.linguisticType)] + participant + [("TIER_ID", tier.name)],
            annotations)
    }

    private static let linguisticType = "vidscan"
}

// XMLNode(kind:) ends the program for attributes and texts. These factories return nodes, but as `Any`.
extension XMLElement {
    fileprivate convenience init(
        _ name: String, _ attributes: [(String, String)], _ children: [XMLElement] = [], text: String? = nil
    ) {
        self.init(name: name)
        for (name, value) in attributes {
            let attribute = XMLNode.attribute(withName: name, stringValue: Self.legal(value))
            if let node = attribute as? XMLNode { addAttribute(node) }
        }
        children.forEach(addChild)
        if let text, let node = XMLNode.text(withStringValue: Self.legal(text)) as? XMLNode { addChild(node) }
    }

    /// Replaces characters that XML 1.0 cannot hold (section 2.2).
    private static func legal(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: result.append(scalar)
            default: result.append("\u{FFFD}")
            }
        }
        return String(result)
    }
}
