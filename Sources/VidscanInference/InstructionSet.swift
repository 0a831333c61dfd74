internal import CNetwork

package enum InstructionSet: CaseIterable, Sendable {
    case baseline, avx2, avx512

    var value: vs_network_set {
        switch self {
        case .baseline: VS_NETWORK_BASELINE
        case .avx2: VS_NETWORK_AVX2
        case .avx512: VS_NETWORK_AVX512
        }
    }
}
