package import VidscanBase
package import VidscanResults

/// Tracks the content of a drawn cover from one keyframe to the next. Expects every frame of the region, in order.
///
/// The template is the luma under a keyframe's box (``LumaTemplate``). Each search starts from the straight path plus the last
/// offset. The template changes only at keyframes, so that errors do not accumulate.
package struct CoverTracker {
    /// Of the last keyframe; `nil` if it has nothing to find, or after a cut.
    private var template: LumaTemplate?
    /// Of the next keyframe, from the latest frame, with its index.
    private var coming: (keyframe: Int, template: LumaTemplate?)?
    /// From the straight path to where the template was found last, in pixels of the video as displayed.
    private var offset = Point.zero

    /// In microseconds: a keyframe shows the last frame up to this much later, because times are rounded.
    private static let tolerance: Int64 = 1000

    package init() {}

    /// Returns what to cover: a keyframe's own box in its frame, otherwise the smallest box around that of the straight path and
    /// the one that follows the picture. So any place between the two is covered, and a wrong one uncovers nothing. If the
    /// template is not found, its last place stays covered.
    ///
    /// - Parameters:
    ///   - straight: the box of the straight path. It alone is covered without contrast, and from a cut to the next keyframe.
    ///   - isCut: whether another shot begins with this frame.
    ///   - luma: returns the mean luma of a box's cells, `side` rows of as many, before anything was drawn into the frame.
    package mutating func box(
        of region: CoverFile.Region, straight: Rectangle, at microseconds: Int64, isCut: Bool,
        luma: (_ box: Rectangle, _ side: Int) -> [Float]
    ) -> Rectangle {
        let next = region.keyframes.partitionIndex { $0.microseconds >= microseconds - Self.tolerance }
        guard next < region.keyframes.count else { return straight }
        let keyframe = region.keyframes[next]
        if coming?.keyframe != next {
            // Without a frame before a keyframe, the first one after it is the nearest.
            template = coming?.keyframe == next - 1 ? coming?.template : LumaTemplate(luma(straight, LumaTemplate.side))
            offset = .zero
        }
        if isCut { (template, offset) = (nil, .zero) }
        coming = (next, LumaTemplate(luma(keyframe.box, LumaTemplate.side)))
        guard microseconds + Self.tolerance < keyframe.microseconds else { return keyframe.box }
        guard let template, next > 0 else { return straight }
        let cell = Point(x: straight.width, y: straight.height) / Double(LumaTemplate.side)
        let window = straight.offset(dx: offset.x, dy: offset.y).grown(by: straight.width / 2, straight.height / 2)
        if let place = template.place(in: luma(window, LumaTemplate.windowSide)) {
            offset += cell * Point(x: Double(place.x), y: Double(place.y))
        }
        // One cell more, because the place is in whole cells.
        let found = straight.offset(dx: offset.x, dy: offset.y).grown(by: cell.x, cell.y)
        return Rectangle(around: straight.corners + found.corners)
    }
}
