internal import Glibc

/// Mel-frequency cepstral coefficients (Davis and Mermelstein, IEEE Trans. ASSP 28, 1980) of 16 kHz sound, 100 per second, with
/// the constants of python_speech_features, for which LR-ASD was trained: rectangular windows of 25 ms, pre-emphasis 0.97, 26
/// filters from 0 to 8 kHz, an orthonormal DCT-II, a lifter of 22, and the log energy as the first coefficient.
package struct MelCepstra: Sendable {
    package static let count = 13, perSecond = 100
    private static let (window, step, size, filters) = (400, 160, 512, 26)

    private let filterBank: [(first: Int, weights: [Double])]
    private let transform: [[Double]]
    private let twiddles: [(cosine: Double, sine: Double)]
    /// The index of each sample with its bits reversed.
    private let reversed: [Int]
    /// Emphasised samples from the next window on.
    private var pending: [Float] = []
    private var previous: Float = 0
    /// Row after row of `count` values; the window of row n starts at sample 160 n.
    package private(set) var values: [Float] = []

    package init() {
        let (size, filters) = (Self.size, Self.filters)
        func mel(_ hertz: Double) -> Double { 2595 * log10(1 + hertz / 700) }
        func hertz(_ mel: Double) -> Double { 700 * (pow(10, mel / 2595) - 1) }
        let bins = (0..<filters + 2).map { index in
            Int(Double(size + 1) * hertz(mel(8000) * Double(index) / Double(filters + 1)) / 16000)
        }
        filterBank = (0..<filters).map { filter in
            let (low, middle, high) = (bins[filter], bins[filter + 1], bins[filter + 2])
            let rising = (low..<middle).map { Double($0 - low) / Double(middle - low) }
            return (low, rising + (middle..<high).map { Double(high - $0) / Double(high - middle) })
        }
        transform = (0..<Self.count).map { row in
            let scale = (Double(row == 0 ? 1 : 2) / Double(filters)).squareRoot()
            let lifter = 1 + 11 * sin(.pi * Double(row) / 22)
            return (0..<filters).map { scale * lifter * cos(.pi * Double(row) * (Double($0) + 0.5) / Double(filters)) }
        }
        twiddles = (0..<size / 2).map {
            (cos(2 * .pi * Double($0) / Double(size)), -sin(2 * .pi * Double($0) / Double(size)))
        }
        reversed = (0..<size.trailingZeroBitCount).reduce([0]) { old, _ in old.map { 2 * $0 } + old.map { 2 * $0 + 1 } }
    }

    /// - Parameter samples: From -32768 to 32767, where those of the last call ended.
    package mutating func add(_ samples: some Sequence<Int16>) {
        for sample in samples {
            pending.append(Float(sample) - 0.97 * previous)
            previous = Float(sample)
        }
        var start = 0
        while pending.count - start >= Self.window {
            append(pending[start..<start + Self.window])
            start += Self.step
        }
        pending.removeFirst(start)
    }

    private mutating func append(_ samples: ArraySlice<Float>) {
        let power = spectrum(samples)
        let tiny = 2.220446049250313e-16
        let energy = power.reduce(0, +)
        let bands = filterBank.map { filter in
            let sum = zip(power[filter.first...], filter.weights).reduce(0) { $0 + $1.0 * $1.1 }
            return log(sum == 0 ? tiny : sum)
        }
        values.append(Float(log(energy == 0 ? tiny : energy)))
        for row in transform.dropFirst() { values.append(Float(zip(row, bands).reduce(0) { $0 + $1.0 * $1.1 })) }
    }

    /// The power of the frequencies from 0 to 8 kHz, by a radix-2 FFT (Cooley and Tukey, 1965).
    private func spectrum(_ samples: ArraySlice<Float>) -> [Double] {
        let size = Self.size
        var real = [Double](repeating: 0, count: size)
        var imaginary = real
        for (index, sample) in zip(reversed, samples) { real[index] = Double(sample) }
        var half = 1
        while half < size {
            let stride = size / (2 * half)
            for start in Swift.stride(from: 0, to: size, by: 2 * half) {
                for offset in 0..<half {
                    let (low, high, twiddle) = (start + offset, start + offset + half, twiddles[offset * stride])
                    let (a, b) = (
                        real[high] * twiddle.cosine - imaginary[high] * twiddle.sine,
                        real[high] * twiddle.sine + imaginary[high] * twiddle.cosine
                    )
                    (real[high], imaginary[high]) = (real[low] - a, imaginary[low] - b)
                    (real[low], imaginary[low]) = (real[low] + a, imaginary[low] + b)
                }
            }
            half *= 2
        }
        return (0...size / 2).map { (real[$0] * real[$0] + imaginary[$0] * imaginary[$0]) / Double(size) }
    }
}
