/// Removes text and data from AAC (ISO/IEC 14496-3, subparts 1 and 4). The sound stays the same.
enum AACSanitizer {
    /// Truncates an AudioSpecificConfig to what a decoder reads, and clears its comment.
    ///
    /// - Returns: `nil` for AAC other than Main, LC, SSR and LTP, each with or without SBR and PS.
    static func sanitized(configuration: [UInt8]) -> [UInt8]? {
        var bits = BitstreamEditor(configuration)
        guard var objectType = bits.objectType(), bits.samplingFrequency(), let channels = bits.read(4) else {
            return nil
        }
        if objectType == 5 || objectType == 29 {
            guard bits.samplingFrequency(), let inner = bits.objectType() else { return nil }
            objectType = inner
        }
        // frameLengthFlag, dependsOnCoreCoder with its delay, extensionFlag
        guard (1...4).contains(objectType), bits.skip(1), let dependsOnCore = bits.read(1),
            bits.skip(dependsOnCore == 1 ? 14 : 0), let isExtended = bits.read(1), isExtended == 0
        else { return nil }
        if channels == 0, !bits.eraseProgramComment() { return nil }
        if bits.peek(11) == 0x2B7 {
            guard bits.skip(11), bits.objectType() == 5, let hasSBR = bits.read(1) else { return nil }
            if hasSBR == 1 {
                guard bits.samplingFrequency() else { return nil }
                if bits.peek(11) == 0x548, !bits.skip(12) { return nil }
            }
        }
        bits.truncate()
        return bits.bytes
    }

    /// Clears everything before the sound in a packet: the payload of fill and data elements, and the comment of a program.
    ///
    /// - Parameter packet: a raw data block or one ADTS frame.
    static func sanitized(packet: [UInt8]) -> [UInt8] {
        var headerSize = 0
        var packet = packet
        if packet.count >= 7, packet[0] == 0xFF, packet[1] & 0xF6 == 0xF0 {
            headerSize = packet[1] & 1 == 1 ? 7 : 9
            // Removes everything after the frame.
            let length = Int(packet[3] & 3) << 11 | Int(packet[4]) << 3 | Int(packet[5]) >> 5
            packet.removeLast(max(0, packet.count - max(length, headerSize)))
        }
        var bits = BitstreamEditor(packet, startingAt: min(headerSize, packet.count))
        while let element = bits.peek(3), bits.eraseElement(element) {}
        return bits.bytes
    }
}

extension BitstreamEditor {
    fileprivate mutating func objectType() -> Int? {
        guard let type = read(5) else { return nil }
        return type == 31 ? read(6).map { 32 + $0 } : type
    }

    fileprivate mutating func samplingFrequency() -> Bool {
        guard let index = read(4) else { return false }
        return index != 15 || skip(24)
    }

    /// Clears an element without sound and moves past it.
    ///
    /// - Returns: whether it was one.
    fileprivate mutating func eraseElement(_ element: Int) -> Bool {
        switch element {
        case 4:  // data_stream_element
            guard skip(7), let isAligned = read(1), let count = read(8) else { return false }
            let more = count == 255 ? read(8) ?? 0 : 0
            if isAligned == 1 { align() }
            erase(8 * (count + more))
            return true
        case 5:  // program_config_element
            return skip(3) && eraseProgramComment()
        case 6:  // fill_element
            guard skip(3), let count = read(4) else { return false }
            let more = count == 15 ? (read(8) ?? 1) - 1 : 0
            erase(8 * (count + more))
            return true
        default:
            return false
        }
    }

    /// Moves past the body of a program_config_element, and clears its comment.
    fileprivate mutating func eraseProgramComment() -> Bool {
        // element_instance_tag, object_type, sampling_frequency_index
        guard skip(10), let front = read(4), let side = read(4), let back = read(4), let lowFrequency = read(2),
            let data = read(3), let coupling = read(4)
        else { return false }
        // mono, stereo and matrix mixdown
        for size in [4, 4, 3] {
            guard let isPresent = read(1), skip(isPresent * size) else { return false }
        }
        guard skip(5 * (front + side + back + coupling) + 4 * (lowFrequency + data)) else { return false }
        align()
        guard let count = read(8) else { return false }
        erase(8 * count)
        return true
    }
}
