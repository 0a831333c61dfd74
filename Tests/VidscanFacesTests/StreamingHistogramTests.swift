import Testing
import VidscanFaces

@Suite("A histogram of a stream")
struct StreamingHistogramTests {
    @Test("The histogram's median is accurate to half a bin for any number of values")
    func median() {
        var sketch = StreamingHistogram(range: 0...100)
        for value in 0..<100_000 { sketch.add(Double(value % 1000) / 10) }
        #expect(abs((sketch.median ?? 0) - 49.95) <= 100.0 / 512)
        #expect(abs((sketch.mean ?? 0) - 49.95) < 1e-6)
        #expect(sketch.maximum == 99.9)
        #expect(StreamingHistogram(range: 0...1).median == nil)
    }

    @Test("The median of an even number of values is the mean of the two in the middle")
    func evenMedian() {
        var sketch = StreamingHistogram(range: 0...100)
        for value in [90.0, 10, 40, 20] { sketch.add(value) }
        #expect(abs((sketch.median ?? 0) - 30) <= 100.0 / 512)
    }
}
