// Reads the attributes of a TensorFlow Lite model's custom operations.
//
// OpenVINO's frontend hands a translator only the scalar attributes of a custom operation; the attention mesh keeps
// lists of landmark indices there. So they are read from the file itself. Two formats are involved, both little endian:
// the model is a FlatBuffer (https://flatbuffers.dev/internals), the attributes of one operation are a FlexBuffer inside
// it. Only what the mesh needs is understood; anything else is an error, never a guess.

#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../conversion/bytes.hpp"

namespace mesh {

using conversion::Bytes;

// A table of a FlatBuffer: fields found through its vtable, by their number in the schema.
class Table {
public:
    Table(const Bytes& bytes, size_t position) : bytes_(bytes), position_(position) {}

    static Table root(const Bytes& bytes) { return Table(bytes, bytes.read<uint32_t>(0)); }

    // Where the field's value lies, or 0 where the table has none.
    size_t field(size_t number) const {
        const size_t vtable = position_ - bytes_.read<int32_t>(position_);
        const size_t slot = 4 + 2 * number;
        if (slot >= bytes_.read<uint16_t>(vtable)) return 0;
        const uint16_t offset = bytes_.read<uint16_t>(vtable + slot);
        return offset == 0 ? 0 : position_ + offset;
    }

    uint32_t unsignedInteger(size_t number, uint32_t missing) const {
        const size_t at = field(number);
        return at == 0 ? missing : bytes_.read<uint32_t>(at);
    }

    std::string string(size_t number) const {
        const auto [first, count] = vector(number);
        return bytes_.text(first, count);
    }

    // The bytes of a vector of ubyte.
    Bytes blob(size_t number) const {
        const auto [first, count] = vector(number);
        return bytes_.slice(first, count);
    }

    std::vector<Table> tables(size_t number) const {
        const auto [first, count] = vector(number);
        std::vector<Table> result;
        for (size_t i = 0; i < count; ++i) result.emplace_back(bytes_, follow(first + 4 * i));
        return result;
    }

    std::vector<int32_t> integers(size_t number) const {
        const auto [first, count] = vector(number);
        std::vector<int32_t> result;
        for (size_t i = 0; i < count; ++i) result.push_back(bytes_.read<int32_t>(first + 4 * i));
        return result;
    }

private:
    size_t follow(size_t at) const { return at + bytes_.read<uint32_t>(at); }

    std::pair<size_t, size_t> vector(size_t number) const {
        const size_t at = field(number);
        if (at == 0) return {0, 0};
        const size_t start = follow(at);
        return {start + 4, bytes_.read<uint32_t>(start)};
    }

    Bytes bytes_;
    size_t position_;
};

// The attributes of one operation: numbers, and lists of numbers, by name.
struct Attributes {
    std::map<std::string, std::vector<double>> values;

    const std::vector<double>& list(const std::string& name) const {
        const auto found = values.find(name);
        if (found == values.end()) throw std::runtime_error("a custom operation lacks its attribute " + name);
        return found->second;
    }

    double number(const std::string& name) const { return list(name).at(0); }

    std::vector<int64_t> indices(const std::string& name) const {
        std::vector<int64_t> result;
        for (double value : list(name)) result.push_back(static_cast<int64_t>(value));
        return result;
    }
};

// Decodes a FlexBuffer whose root is a map of numbers and of lists of numbers.
// A value's packed type is (type << 2 | log2 of its byte width); containers are reached by an offset back from where
// it is stored, and have their length in the word before their first element.
class FlexMap {
public:
    static Attributes decode(const Bytes& bytes) {
        Attributes attributes;
        if (bytes.size() == 0) return attributes;
        const FlexMap map(bytes);
        const uint8_t rootWidth = bytes.read<uint8_t>(bytes.size() - 1);
        const uint8_t rootType = bytes.read<uint8_t>(bytes.size() - 2);
        if (rootType >> 2 != mapType) throw std::runtime_error("a custom operation's attributes are not a map");
        map.readMap(map.follow(bytes.size() - 2 - rootWidth, rootWidth), size_t(1) << (rootType & 3), attributes);
        return attributes;
    }

private:
    static constexpr int intType = 1, uintType = 2, floatType = 3, mapType = 9, vectorType = 10;
    static constexpr int intVectorType = 11, uintVectorType = 12, floatVectorType = 13, boolType = 26;

    explicit FlexMap(const Bytes& bytes) : bytes_(bytes) {}

    size_t follow(size_t at, size_t width) const {
        const uint64_t back = bytes_.readUnsigned(at, width);
        if (back > at) throw std::runtime_error("a custom operation's attributes are damaged");
        return at - back;
    }

    // A map is a vector of values, then their packed types; before its length stand the keys' offset and byte width.
    void readMap(size_t first, size_t width, Attributes& attributes) const {
        const size_t count = bytes_.readUnsigned(first - width, width);
        const size_t keys = follow(first - 3 * width, width);
        const size_t keyWidth = bytes_.readUnsigned(first - 2 * width, width);
        for (size_t i = 0; i < count; ++i) {
            const std::string name = bytes_.zeroTerminated(follow(keys + i * keyWidth, keyWidth));
            const uint8_t packed = bytes_.read<uint8_t>(first + count * width + i);
            attributes.values[name] = readValue(first + i * width, width, packed);
        }
    }

    std::vector<double> readValue(size_t at, size_t width, uint8_t packed) const {
        const int type = packed >> 2;
        if (type <= floatType || type == boolType) return {readScalar(at, width, type)};

        const size_t elementWidth = size_t(1) << (packed & 3);
        const size_t first = follow(at, width);
        const size_t count = bytes_.readUnsigned(first - elementWidth, elementWidth);
        std::vector<double> result;
        for (size_t i = 0; i < count; ++i) {
            const size_t element = first + i * elementWidth;
            switch (type) {
            case intVectorType: result.push_back(readScalar(element, elementWidth, intType)); break;
            case uintVectorType: result.push_back(readScalar(element, elementWidth, uintType)); break;
            case floatVectorType: result.push_back(readScalar(element, elementWidth, floatType)); break;
            case vectorType: {  // mixed: each element has a packed type of its own, after the last element
                const int own = bytes_.read<uint8_t>(first + count * elementWidth + i) >> 2;
                result.push_back(readScalar(element, elementWidth, own));
                break;
            }
            default: throw std::runtime_error("a custom operation has an attribute of an unknown type");
            }
        }
        return result;
    }

    double readScalar(size_t at, size_t width, int type) const {
        switch (type) {
        case intType: {
            // Sign-extended by hand, since the width varies.
            const int unused = 64 - 8 * static_cast<int>(width);
            return static_cast<double>(static_cast<int64_t>(bytes_.readUnsigned(at, width) << unused) >> unused);
        }
        case uintType:
        case boolType: return static_cast<double>(bytes_.readUnsigned(at, width));
        case floatType:
            if (width == 4) return bytes_.read<float>(at);
            if (width == 8) return bytes_.read<double>(at);
            [[fallthrough]];
        default: throw std::runtime_error("a custom operation has an attribute of an unknown type");
        }
    }

    Bytes bytes_;
};

// The attributes of every custom operation of the model's first graph, by the name of its first output tensor.
inline std::map<std::string, Attributes> readCustomOptions(const std::vector<uint8_t>& file) {
    // Field numbers of the TensorFlow Lite schema, version 3.
    constexpr size_t modelOperatorCodes = 1, modelSubgraphs = 2, codeCustomCode = 1;
    constexpr size_t graphTensors = 0, graphOperators = 3, tensorName = 3;
    constexpr size_t operatorCodeIndex = 0, operatorOutputs = 2, operatorCustomOptions = 5;

    const Table model = Table::root(Bytes(file.data(), file.size()));
    const std::vector<Table> codes = model.tables(modelOperatorCodes);
    const Table graph = model.tables(modelSubgraphs).at(0);
    const std::vector<Table> tensors = graph.tables(graphTensors);

    std::map<std::string, Attributes> result;
    for (const Table& operation : graph.tables(graphOperators)) {
        const Table& code = codes.at(operation.unsignedInteger(operatorCodeIndex, 0));
        if (code.field(codeCustomCode) == 0) continue;
        const std::string output = tensors.at(operation.integers(operatorOutputs).at(0)).string(tensorName);
        result[output] = FlexMap::decode(operation.blob(operatorCustomOptions));
    }
    return result;
}

}  // namespace mesh
