internal import Foundation
internal import FoundationXML
internal import VidscanBase
internal import VidscanResults

/// An ELAN document in the EAF format 3.0 (Max Planck Institute for Psycholinguistics, "ELAN Annotation Format").
///
/// What its schema demands, and the order of the elements: HEADER, TIME_ORDER, TIER…, LINGUISTIC_TYPE…, CONSTRAINT…. A time
/// slot has an id that is an XML name and a number of milliseconds; annotations have ids and refer to two slots; a tier
/// refers to a linguistic type. ELAN also wants the slots in order of time, and no overlaps within a tier.
struct ELANDocument {
    /// The video that the document is about.
    struct Media {
        /// The path from the root.
        let path: String
        /// The path from the document's folder.
        let relativePath: String
        /// For example `video/mp4`.
        let type: String
        /// When the file was last changed, in seconds since 1970. It is the date of the document, so that the same result gives
        /// the same file.
        let modified: Double
    }

    let tiers: [Tier]
    let media: Media

    /// The document as XML.
    func text() -> String {
        let root = XMLElement(name: "ANNOTATION_DOCUMENT")
        root.set([
            ("AUTHOR", "vidscan \(Vidscan.version)"), ("DATE", Self.date(media.modified)), ("FORMAT", "3.0"),
            ("VERSION", "3.0"), ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
            ("xsi:noNamespaceSchemaLocation", "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"),
        ])
        root.addChild(header())
        let (order, slots) = timeOrder()
        root.addChild(order)
        var number = 0
        for tier in tiers { root.addChild(element(of: tier, slots: slots, number: &number)) }
        let type = XMLElement(name: "LINGUISTIC_TYPE")
        type.set([
            ("GRAPHIC_REFERENCES", "false"), ("LINGUISTIC_TYPE_ID", Self.linguisticType), ("TIME_ALIGNABLE", "true"),
        ])
        root.addChild(type)
        for (stereotype, description) in Self.constraints {
            let constraint = XMLElement(name: "CONSTRAINT")
            constraint.set([("DESCRIPTION", description), ("STEREOTYPE", stereotype)])
            root.addChild(constraint)
        }
        let document = XMLDocument(rootElement: root)
        document.version = "1.0"
        document.characterEncoding = "UTF-8"
        return String(decoding: document.xmlData(options: .nodePrettyPrint), as: UTF8.self)
    }

    private func header() -> XMLElement {
        let header = XMLElement(name: "HEADER")
        header.set([("MEDIA_FILE", ""), ("TIME_UNITS", "milliseconds")])
        let descriptor = XMLElement(name: "MEDIA_DESCRIPTOR")
        // ELAN takes what follows "file:" as a path, and decodes nothing.
        descriptor.set([
            ("MEDIA_URL", "file://" + media.path), ("MIME_TYPE", media.type),
            ("RELATIVE_MEDIA_URL", media.relativePath),
        ])
        header.addChild(descriptor)
        let property = XMLElement(name: "PROPERTY")
        property.set([("NAME", "lastUsedAnnotationId")])
        property.addText("\(tiers.reduce(0) { $0 + $1.annotations.count })")
        header.addChild(property)
        return header
    }

    /// Returns the element with a slot for each moment at which something begins or ends, and the ids of the slots, by
    /// milliseconds.
    private func timeOrder() -> (XMLElement, [Int64: String]) {
        let order = XMLElement(name: "TIME_ORDER")
        var slots: [Int64: String] = [:]
        let moments = Set(tiers.flatMap { $0.annotations.flatMap { [$0.beginMilliseconds, $0.endMilliseconds] } })
        for (index, moment) in moments.sorted().enumerated() {
            let id = "ts\(index + 1)"
            slots[moment] = id
            let slot = XMLElement(name: "TIME_SLOT")
            slot.set([("TIME_SLOT_ID", id), ("TIME_VALUE", "\(moment)")])
            order.addChild(slot)
        }
        return (order, slots)
    }

    private func element(of tier: Tier, slots: [Int64: String], number: inout Int) -> XMLElement {
        let element = XMLElement(name: "TIER")
        element.set([("LINGUISTIC_TYPE_REF", Self.linguisticType)])
        if let name = tier.subject.name { element.set([("PARTICIPANT", name)]) }
        element.set([("TIER_ID", tier.name)])
        for annotation in tier.annotations {
            guard let begin = slots[annotation.beginMilliseconds], let end = slots[annotation.endMilliseconds],
                annotation.beginMilliseconds < annotation.endMilliseconds
            else { continue }
            number += 1
            let aligned = XMLElement(name: "ALIGNABLE_ANNOTATION")
            aligned.set([("ANNOTATION_ID", "a\(number)"), ("TIME_SLOT_REF1", begin), ("TIME_SLOT_REF2", end)])
            let value = XMLElement(name: "ANNOTATION_VALUE")
            value.addText(annotation.label)
            aligned.addChild(value)
            let wrapper = XMLElement(name: "ANNOTATION")
            wrapper.addChild(aligned)
            element.addChild(wrapper)
        }
        return element
    }

    private static let linguisticType = "vidscan"

    /// The relations between tiers, which ELAN expects in every document. None is used here.
    private static let constraints = [
        (
            "Time_Subdivision",
            "Time subdivision of parent annotation's time interval, no time gaps allowed within this interval"
        ),
        (
            "Symbolic_Subdivision",
            "Symbolic subdivision of a parent annotation. Annotations refering to the same parent are ordered"
        ),
        ("Symbolic_Association", "1-1 association with a parent annotation"),
        ("Included_In", "Time alignable annotations within the parent annotation's time interval, gaps are allowed"),
    ]

    private static func date(_ seconds: Double) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        return formatter.string(from: Date(timeIntervalSince1970: seconds.rounded(.down)))
    }
}

extension Annotation {
    var beginMilliseconds: Int64 { ClockText.milliseconds(begin) }
    var endMilliseconds: Int64 { ClockText.milliseconds(end) }
}

// The initializer XMLNode(kind:) of FoundationXML ends the program for attributes and texts. These factories return nodes, under
// a type that does not say so.
extension XMLElement {
    fileprivate func set(_ attributes: [(String, String)]) {
        for (name, value) in attributes {
            guard let node = XMLNode.attribute(withName: name, stringValue: Self.legal(value)) as? XMLNode else {
                continue
            }
            addAttribute(node)
        }
    }

    fileprivate func addText(_ text: String) {
        guard let node = XMLNode.text(withStringValue: Self.legal(text)) as? XMLNode else { return }
        addChild(node)
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
