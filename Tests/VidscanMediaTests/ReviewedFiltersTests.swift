import CFFmpeg
import Testing
import VidscanBase
import VidscanMedia

@Suite("The list of reviewed filters")
struct ReviewedFiltersTests {
    /// Every filter of the installed library, including audio filters, sources and sinks.
    private static var installed: [UnsafePointer<AVFilter>] {
        var found: [UnsafePointer<AVFilter>] = []
        var state: UnsafeMutableRawPointer?
        while let filter = av_filter_iterate(&state) { found.append(filter) }
        return found
    }

    /// Types whose values cannot name a file, an address or a device.
    private static let plainTypes: Set<UInt32> = Set(
        [
            AV_OPT_TYPE_BOOL, AV_OPT_TYPE_INT, AV_OPT_TYPE_INT64, AV_OPT_TYPE_UINT64, AV_OPT_TYPE_FLOAT,
            AV_OPT_TYPE_DOUBLE, AV_OPT_TYPE_FLAGS, AV_OPT_TYPE_RATIONAL, AV_OPT_TYPE_IMAGE_SIZE,
            AV_OPT_TYPE_VIDEO_RATE, AV_OPT_TYPE_DURATION, AV_OPT_TYPE_COLOR, AV_OPT_TYPE_PIXEL_FMT,
            AV_OPT_TYPE_SAMPLE_FMT, AV_OPT_TYPE_CONST,
        ].map(\.rawValue))

    /// Options of a filter and of its components that take text.
    private static func textOptions(_ classTable: UnsafePointer<AVClass>?) -> [String] {
        guard let classTable else { return [] }
        var names: [String] = []
        var option = vs_next_option(classTable, nil)
        while let current = option {
            if !plainTypes.contains(current.pointee.type.rawValue) {
                names.append(String(cString: current.pointee.name))
            }
            option = vs_next_option(classTable, current)
        }
        var state: UnsafeMutableRawPointer?
        while let child = av_opt_child_class_iterate(classTable, &state) { names += textOptions(child) }
        return names
    }

    private func refusal(of step: String) -> MediaError? {
        do throws(MediaError) {
            _ = try FilterChain.permitted(steps: [step], allowsFiles: false)
            return nil
        } catch {
            return error
        }
    }

    @Test("Every filter and every text option is reviewed or refused")
    func complete() throws {
        #expect(Self.installed.count > 400)
        var options = 0
        for filter in Self.installed {
            let name = String(cString: filter.pointee.name)
            let reviewed = ReviewedFilters.shipped.filters[name]
            if reviewed == nil {
                let error = try #require(refusal(of: name), "\(name) is permitted")
                #expect(error.remedy == .permitFilters, "\(error)")
            }
            for option in Self.textOptions(filter.pointee.priv_class) {
                options += 1
                // A value that every review except `file` accepts.
                let error = refusal(of: FilterChain.step(name, options: [(option, "1")]))
                if let reviewed {
                    let review = try #require(reviewed.options[option], "\(name)=\(option) is not reviewed")
                    #expect((error == nil) == (review != .file), "\(name)=\(option): \(error?.reason ?? "permitted")")
                } else {
                    #expect(error?.remedy == .permitFilters, "\(name)=\(option) is permitted")
                }
            }
        }
        #expect(options > 500, "\(options)")
    }

    @Test("Every text option whose help mentions a file is refused")
    func help() {
        let words = ["file", "path", "url", "address", "folder", "director", "script", "librar"]
        var found = 0
        for filter in Self.installed {
            let name = String(cString: filter.pointee.name)
            guard let reviewed = ReviewedFilters.shipped.filters[name] else { continue }
            var option = vs_next_option(filter.pointee.priv_class, nil)
            while let current = option {
                let said =
                    String(cString: current.pointee.name) + " "
                    + (current.pointee.help.map { String(cString: $0) } ?? "")
                if !Self.plainTypes.contains(current.pointee.type.rawValue),
                    words.contains(where: { said.lowercased().contains($0) })
                {
                    #expect(reviewed.options[String(cString: current.pointee.name)] == .file, "\(name): \(said)")
                    found += 1
                }
                option = vs_next_option(filter.pointee.priv_class, current)
            }
        }
        #expect(found > 10)
    }

    @Test("All inputs and outputs of reviewed filters are video")
    func video() throws {
        var graph = avfilter_graph_alloc()
        defer { avfilter_graph_free(&graph) }
        for filter in Self.installed where ReviewedFilters.shipped.filters[String(cString: filter.pointee.name)] != nil
        {
            let name = String(cString: filter.pointee.name)
            // Pads that depend on options exist after initialisation. A few filters cannot be initialised without options:
            // their pads are fixed.
            var context: UnsafeMutablePointer<AVFilterContext>?
            let made = avfilter_graph_create_filter(&context, filter, name, nil, nil, graph)
            let inputs = context?.pointee.nb_inputs ?? avfilter_filter_pad_count(filter, 0)
            let outputs = context?.pointee.nb_outputs ?? avfilter_filter_pad_count(filter, 1)
            let inputPads = context?.pointee.input_pads ?? filter.pointee.inputs
            let outputPads = context?.pointee.output_pads ?? filter.pointee.outputs
            for pad in 0..<Int32(inputs) {
                #expect(avfilter_pad_get_type(inputPads, pad) == AVMEDIA_TYPE_VIDEO, "\(name)")
            }
            for pad in 0..<Int32(outputs) {
                #expect(avfilter_pad_get_type(outputPads, pad) == AVMEDIA_TYPE_VIDEO, "\(name)")
            }
            let dynamic = AVFILTER_FLAG_DYNAMIC_INPUTS | AVFILTER_FLAG_DYNAMIC_OUTPUTS
            if filter.pointee.flags & dynamic != 0, !["segment", "streamselect"].contains(name) {
                #expect(made >= 0, "\(name)")
            }
            if made >= 0 { #expect(inputs > 0 && outputs > 0, "\(name)") }
        }
    }

    @Test("No installed filter is listed as added by a later FFmpeg")
    func versions() throws {
        let version = avfilter_version() >> 16
        #expect(ReviewedFilters.shipped.filters.values.contains { $0.since != nil })
        // FFmpeg 5 has libavfilter 8, FFmpeg 6 has 9, FFmpeg 7 has 10.
        for filter in Self.installed {
            guard let since = ReviewedFilters.shipped.filters[String(cString: filter.pointee.name)]?.since else {
                continue
            }
            let major = try #require(since.split(separator: ".").first.flatMap { UInt32($0) }, "\(since)")
            #expect(major + 3 <= version, "\(String(cString: filter.pointee.name))")
        }
    }

    @Test("The built-in list is sorted and complete")
    func shipped() throws {
        let read = try #require(ReviewedFilters(ReviewedFilters.shippedText))
        #expect(read.filters == ReviewedFilters.shipped.filters)
        #expect(read.filters.count > 250)
        let names = ReviewedFilters.shippedText.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { String($0.prefix { $0 != " " }) }
        #expect(names == names.sorted())
        for review in ReviewedFilters.Review.allCases {
            #expect(read.filters.values.contains { $0.options.values.contains(review) }, "\(review) is unused")
        }
    }

    private static let malformed = [
        "null\nnull", " null", "a-b", "# remark\n\neq gamma", "eq gamma=", "eq gamma=harmless", "eq =text",
        "eq a=text=b", "eq a=text a=file", "eq a=text 6.0", "eq 6", "\u{E9}q",
    ]

    @Test("A list with a malformed line is refused", arguments: malformed)
    func broken(text: String) {
        #expect(ReviewedFilters(text) == nil)
    }

    private static let refused = [
        ("null;anullsrc,anullsink", "filter 'anullsrc' is not only for video"),
        ("asr=logfn=/tmp/x", "filter 'asr' reads or writes files"),
        ("ladspa=file=/tmp/x.so", "filter 'ladspa' loads a program library"),
        ("color=red[b];[in][b]overlay", "filter 'color' is a source of frames"),
        ("split[a][b];[a]nullsink;[b]null", "filter 'nullsink' is a sink for frames"),
        ("null;[a]null[a]", "a part of the filter chain is not connected to the rest"),
        ("scale=w='while(1,0)':h=2", "option 'w' of the filter 'scale' uses the function 'while'"),
        ("scale='wh ile (1,0)':2", "option 'w' of the filter 'scale' uses the function 'while'"),
        ("scale='while@(1,0)':2", "option 'w' of the filter 'scale' uses the function 'while'"),
        ("scale='while\u{301}(1,0)':2", "option 'w' of the filter 'scale' uses the function 'while'"),
        ("tmix=frames='root(ld(0),9)'", "option 'frames' of the filter 'tmix' uses the function 'root'"),
        ("eq=enable='print(t)'", "option 'enable' of the filter 'eq' uses the function 'print'"),
        ("drawtext=text='%{e\\:whi\\\\le(1,0)}'", "option 'text' of the filter 'drawtext' uses the function 'while'"),
        ("drawtext=text=a:font='x\\:file=/tmp/a.ttf'", "option 'font' of the filter 'drawtext' is not a plain name"),
        ("split=1e8", "option 'outputs' of the filter 'split' is not a number of at most three digits"),
        ("hstack=inputs=0x7fffffff", "option 'inputs' of the filter 'hstack' is not a number of at most three digits"),
        ("metadata=print:file=-", "filter 'metadata' accesses a file through its option 'file'"),
    ]

    @Test("A refusal names the filter or option and the reason", arguments: refused)
    func reasons(text: String, reason: String) {
        #expect(refusal(of: text) == MediaError(.filter, reason, remedy: .permitFilters))
    }

    @Test("Text that only resembles an expression is permitted")
    func plainTexts() {
        #expect(refusal(of: "drawtext=text='while we wait, 100 % print'") == nil)
        #expect(refusal(of: "drawtext=text='%{pts}':font=DejaVu Sans") == nil)
        #expect(refusal(of: "metadata=print") == nil)
        #expect(refusal(of: "select='not(mod(n,5))',setpts=N/25/TB") == nil)
    }

    @Test("Ambiguous text is refused even if files are allowed")
    func permission() {
        for text in ["null\u{0}", "eq=gamma='1", "eq=gamma=1:2", "[a'b]null"] {
            #expect(throws: MediaError.self) { try FilterChain.permitted(steps: [text], allowsFiles: true) }
        }
        #expect(throws: Never.self) {
            try FilterChain.permitted(steps: ["null;anullsrc,ladspa=file=/tmp/e.so,anullsink"], allowsFiles: true)
        }
    }
}
