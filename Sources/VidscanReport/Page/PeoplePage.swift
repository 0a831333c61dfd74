/// The page of a study: the decisions to check, and a card for each person. All values are formatted text, which rendering
/// escapes.
public struct PeoplePage: Sendable {
    /// A person in one video.
    public struct Face: Sendable {
        /// An image as a `data:` URL.
        public var thumbnail: String?
        /// The person's number or name.
        public var person: String
        /// The name of the video.
        public var video: String
        /// The path of the video, shown as a tooltip.
        public var path: String
        /// The address of the video's report, relative to the page; `nil` if there is none.
        public var link: String?
        /// When and how long the person is visible, and in which tracks.
        public var detail: String

        public init(
            thumbnail: String?, person: String, video: String, path: String, link: String?, detail: String
        ) {
            self.thumbnail = thumbnail
            self.person = person
            self.video = video
            self.path = path
            self.link = link
            self.detail = detail
        }
    }

    /// Two people, and what the study made of them.
    public struct Pair: Sendable {
        public var one: Face
        public var other: Face
        /// What was decided, and how certain that is.
        public var decision: String
        /// The correction for the case that the decision is wrong.
        public var correction: String

        public init(one: Face, other: Face, decision: String, correction: String) {
            self.one = one
            self.other = other
            self.decision = decision
            self.correction = correction
        }
    }

    public struct Card: Sendable {
        public var id: Int
        public var title: String
        public var detail: String
        public var faces: [Face]
        /// A note that says how many videos the card leaves out; `nil` if it shows all.
        public var leftOut: String?

        public init(id: Int, title: String, detail: String, faces: [Face], leftOut: String?) {
            self.id = id
            self.title = title
            self.detail = detail
            self.faces = faces
            self.leftOut = leftOut
        }
    }

    public var title: String
    public var summary: String
    public var notices: [String] = []
    public var pairs: [Pair] = []
    public var cards: [Card] = []

    public init(title: String, summary: String) {
        self.title = title
        self.summary = summary
    }

    /// Renders the page.
    ///
    /// - Returns: One HTML file, which loads nothing else. Its links lead to reports of the results.
    public func html() throws -> String {
        try ReportTemplates.render("people", Page(page: self))
    }

    private struct Page {
        let title, summary: String
        let notices: [String]
        let hasPairs: Bool
        let pairs: [RenderedPair]
        let cards: [RenderedCard]
        let style = ReportTemplates.style

        init(page: PeoplePage) {
            (title, summary, notices) = (page.title, page.summary, page.notices)
            hasPairs = !page.pairs.isEmpty
            pairs = page.pairs.map {
                RenderedPair(
                    faces: [$0.one, $0.other].map(RenderedFace.init), decision: $0.decision, correction: $0.correction)
            }
            cards = page.cards.map {
                RenderedCard(
                    id: $0.id, title: $0.title, detail: $0.detail, faces: $0.faces.map(RenderedFace.init),
                    leftOut: $0.leftOut as Any? ?? false)
            }
        }
    }

    private struct RenderedPair {
        let faces: [RenderedFace]
        let decision, correction: String
    }

    private struct RenderedCard {
        let id: Int
        let title, detail: String
        let faces: [RenderedFace]
        let leftOut: Any
    }

    /// A missing value is `false` instead of `nil`, because the template would look for `nil` in the enclosing contexts.
    private struct RenderedFace {
        let thumbnail, link: Any
        let person, video, path, detail: String

        init(_ face: Face) {
            thumbnail = face.thumbnail as Any? ?? false
            link = face.link as Any? ?? false
            (person, video, path, detail) = (face.person, face.video, face.path, face.detail)
        }
    }
}
