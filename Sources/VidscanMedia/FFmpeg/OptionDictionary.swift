internal import CFFmpeg

/// Owns an `AVDictionary` of options.
struct OptionDictionary: ~Copyable {
    var pointer: OpaquePointer?

    init(_ options: KeyValuePairs<String, String> = [:]) {
        for (name, value) in options { av_dict_set(&pointer, name, value, 0) }
    }

    deinit {
        var pointer = pointer
        av_dict_free(&pointer)
    }

    subscript(name: String) -> String? {
        get { av_dict_get(pointer, name, nil, 0).map { String(cString: $0.pointee.value) } }
        set { av_dict_set(&pointer, name, newValue, 0) }
    }
}
