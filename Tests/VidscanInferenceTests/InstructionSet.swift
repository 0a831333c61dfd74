import CNetwork
import TestSupport
import Testing

/// In the order of `vs_network_set`.
enum InstructionSet: UInt32, CaseIterable, Sendable {
    case baseline, avx2, avx512

    /// Skips the test if the processor lacks the instruction set.
    func kernels() throws -> UnsafePointer<vs_network_kernels> {
        guard let kernels = vs_network_kernels_for(vs_network_set(rawValue)) else {
            try skip(missing: .instructions("\(self)"))
        }
        return kernels
    }
}
