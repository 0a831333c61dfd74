package import VidscanBase
package import VidscanResults

/// Follows what a person covered at a keyframe up to the next one. Give it every frame of the region, in order.
///
/// The luma under a keyframe's box is the template (``LumaTemplate``). It is searched for around the straight path, moved by
/// what was found last. It is not renewed before the next keyframe, so that errors do not add up.
package struct CoverTracker {
    /// Of the last keyframe; `nil` if it has nothing to find, or after a cut.
    private var template: LumaTemplate?
    /// Of the next keyframe, from the latest frame, with its index.
    private var coming: (keyframe: Int, template: LumaTemplate?)?
    /// From the straight path to the place where the template was found last, in pixels of the video as displayed.
    private var offset = Point.zero

    /// A keyframe shows the last frame up to this much later, because times are rounded. In microseconds.
    private static let tolerance: Int64 = 1000

    package init() {}

    /// Returns what to cover: a keyframe's own box in its frame, the box of the straight path where there is nothing to
    /// follow, otherwise the smallest box around that one and the one that follows the picture.
    ///
    /// So a wrong place uncovers nothing that the straight path covers, and any place between the two is covered too. If the
    /// template is not found, its last place stays covered. At the next keyframe, the cover goes back to what is drawn there.
    ///
    /// - Parameters:
    ///   - straight: the box of the straight path in this frame.
    ///   - isCut: whether another shot begins with this frame. Nothing is followed then until the next keyframe.
    ///   - luma: returns the mean luma, 0…255, of the cells of a box that is divided into so many rows and columns, row by row,
    ///     before anything was drawn into the frame.
    package mutating func box(
        of region: CoverFile.Region, straight: Rectangle, at microseconds: Int64, isCut: Bool,
        luma: (_ box: Rectangle, _ side: Int) -> [Float]
    ) -> Rectangle {
        let keyframes = region.keyframes
        let next = keyframes.partitionIndex { $0.microseconds >= microseconds - Self.tolerance }
        guard next < keyframes.count else { return straight }
        if coming?.keyframe != next {
            // Without a frame before a keyframe, the first one after it is the nearest.
            let isKnown = coming?.keyframe == next - 1
            template = isKnown ? coming?.template : LumaTemplate(luma(straight, LumaTemplate.side))
            offset = .zero
        }
        if isCut { (template, offset) = (nil, .zero) }
        coming = (next, LumaTemplate(luma(keyframes[next].box, LumaTemplate.side)))
        guard microseconds + Self.tolerance < keyframes[next].microseconds else { return keyframes[next].box }
        guard let template, next > 0 else { return straight }
        let cell = Point(x: straight.width, y: straight.height) / Double(LumaTemplate.side)
        let reach = cell * Double(LumaTemplate.reach)
        let expected = straight.offset(dx: offset.x, dy: offset.y)
        if let place = template.place(in: luma(expected.grown(by: reach.x, reach.y), LumaTemplate.windowSide)) {
            offset += cell * Point(x: Double(place.x), y: Double(place.y))
        }
        // One cell more, because the place is in whole cells.
        let found = straight.offset(dx: offset.x, dy: offset.y).grown(by: cell.x, cell.y)
        return Rectangle(around: straight.corners + found.corners)
    }
}
