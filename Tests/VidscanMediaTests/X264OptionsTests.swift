import Testing
import VidscanBase
import VidscanMedia

@Suite("x264 keeps fewer frames in memory the larger they are")
struct X264OptionsTests {
    @Test(
        "The lookahead shrinks from the preset's to a minimum, and at last needs no thread",
        arguments: [
            (160, 90, 10, true), (1280, 720, 10, true), (1080, 1920, 8, true), (2560, 1440, 5, true),
            (3840, 2160, 5, false), (16384, 16384, 5, false),
        ])
    func lookahead(width: Int, height: Int, frames: Int, hasThread: Bool) {
        let options = X264Options(size: PictureSize(width: width, height: height))
        #expect(options.lookahead == frames)
        #expect(options.looksAheadOnThread == hasThread)
    }
}
