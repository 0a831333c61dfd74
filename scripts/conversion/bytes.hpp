// Checked access to the bytes of a model file, which may be cut short or damaged.

#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace conversion {

// The bytes of one buffer; every read is checked, since offsets come from the file. Little endian.
class Bytes {
public:
    Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}

    size_t size() const { return size_; }

    template <typename T>
    T read(size_t position) const {
        require(position, sizeof(T));
        T value;
        std::memcpy(&value, data_ + position, sizeof(T));
        return value;
    }

    // An unsigned integer of 1, 2, 4 or 8 bytes.
    uint64_t readUnsigned(size_t position, size_t width) const {
        switch (width) {
        case 1: return read<uint8_t>(position);
        case 2: return read<uint16_t>(position);
        case 4: return read<uint32_t>(position);
        case 8: return read<uint64_t>(position);
        default: throw std::runtime_error("a field of the model has an impossible width");
        }
    }

    std::string text(size_t position, size_t length) const {
        require(position, length);
        return std::string(reinterpret_cast<const char*>(data_) + position, length);
    }

    std::string zeroTerminated(size_t position) const {
        size_t end = position;
        while (read<uint8_t>(end) != 0) ++end;
        return text(position, end - position);
    }

    Bytes slice(size_t position, size_t length) const {
        require(position, length);
        return Bytes(data_ + position, length);
    }

private:
    void require(size_t position, size_t length) const {
        if (position > size_ || length > size_ - position) throw std::runtime_error("the model file is cut short or damaged");
    }

    const uint8_t* data_;
    size_t size_;
};

inline std::vector<uint8_t> readFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot be opened");
    return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

}  // namespace conversion
