// Reads a network in the format of dlib's serialisation (dlib/serialize.h, dlib/dnn/core.h, dlib/dnn/layers.h).
//
//   integer   a byte with the sign in bit 7 and the number of the following bytes, 0 to 8, in bits 0 to 3; then these
//             bytes, the magnitude
//   real      two integers m and e: m · 2^e
//   text      an integer, the length, and the bytes
//   tensor    the integer 2; four integers, the dimensions; and 32-bit floats
//   alias     the integer 1; four integers, the dimensions of a part of another tensor
//   layer     its name; its own fields; three flags and three tensors, all of which matter for training only
//
// A layer is read as what the caller expects to find next. Anything else is an error, never a guess.

#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../conversion/bytes.hpp"

namespace dlib_layers {

using conversion::Bytes;

using Dimensions = std::array<int64_t, 4>;

struct Tensor {
    Dimensions dimensions;
    std::vector<float> values;
};

// What a network does to its input before the first layer: (value − mean) / 256 for red, green and blue.
struct Input {
    std::array<double, 3> means;
    int64_t height;
    int64_t width;
};

// A window that moves over a picture. Pooling of a window of 0 × 0 is over the whole picture.
struct Window {
    int64_t height, width, strideY, strideX, paddingY, paddingX;

    bool operator==(const Window& other) const {
        return height == other.height && width == other.width && strideY == other.strideY && strideX == other.strideX &&
               paddingY == other.paddingY && paddingX == other.paddingX;
    }
};

// Filters of shape outputs × inputs × height × width, and as many biases as outputs.
struct Convolution {
    Dimensions shape;
    Window window;
    std::vector<float> filters;
    std::vector<float> biases;
};

// A factor and an offset for each channel.
struct Affine {
    std::vector<float> factors;
    std::vector<float> offsets;
};

// output = input · weights, where weights are inputs × outputs.
struct FullyConnected {
    int64_t inputs;
    int64_t outputs;
    std::vector<float> weights;
};

class Reader {
public:
    explicit Reader(const Bytes& bytes) : bytes_(bytes) {}

    // The head of a network that was trained with dlib's metric loss and takes RGB pictures of a fixed size.
    Input head() {
        expect(integer(), 1, "the format of the loss");
        expectName("loss_metric_2");
        real();  // the margin and the threshold of the loss
        real();
        // A number for the format of each layer, outermost first; that of the input is 3.
        int64_t format = integer();
        while (format == 1 || format == 2) format = integer();
        expect(format, 3, "the format of the input");
        expectName("input_rgb_image_sized");
        Input input{};
        for (double& mean : input.means) mean = real();
        input.height = integer();
        input.width = integer();
        return input;
    }

    Convolution convolution(int64_t outputs, int64_t inputs, const Window& window) {
        expectName("con_4");
        const Tensor parameters = tensor();
        expect(integer(), outputs, "the number of filters");
        expectWindow(window);
        const Dimensions shape = {outputs, inputs, window.height, window.width};
        expectDimensions(alias(), shape, "filters");
        expectDimensions(alias(), {1, outputs, 1, 1}, "biases");
        for (int i = 0; i < 4; ++i) real();  // rates of learning and decay
        skipTraining();
        auto [filters, biases] = split(parameters, count(shape), static_cast<size_t>(outputs));
        return {shape, window, std::move(filters), std::move(biases)};
    }

    Affine affine(int64_t channels) {
        expectName("affine_");
        const Tensor parameters = tensor();
        expectDimensions(alias(), {1, channels, 1, 1}, "factors");
        expectDimensions(alias(), {1, channels, 1, 1}, "offsets");
        expect(integer(), 0, "the mode of an affine layer");
        skipTraining();
        auto [factors, offsets] = split(parameters, static_cast<size_t>(channels), static_cast<size_t>(channels));
        return {std::move(factors), std::move(offsets)};
    }

    void rectifier() { plain("relu_"); }
    void addition() { plain("add_prev_"); }

    void maximum(const Window& window) { pooling("max_pool_2", window); }
    void average(const Window& window) { pooling("avg_pool_2", window); }

    FullyConnected fullyConnected(int64_t outputs, int64_t inputs) {
        expectName("fc_2");
        expect(integer(), outputs, "the number of outputs");
        expect(integer(), inputs, "the number of inputs");
        const Tensor parameters = tensor();
        expectDimensions(alias(), {inputs, outputs, 1, 1}, "weights");
        expectDimensions(alias(), {0, 0, 0, 0}, "biases");
        expect(integer(), 1, "the mode of a layer without biases");
        for (int i = 0; i < 4; ++i) real();
        skipTraining();
        return {inputs, outputs, split(parameters, static_cast<size_t>(inputs * outputs), 0).first};
    }

    // Nothing may follow the last layer.
    void end() const {
        if (position_ != bytes_.size()) fail("more bytes follow than the network has");
    }

private:
    [[noreturn]] void fail(const std::string& reason) const {
        throw std::runtime_error("at byte " + std::to_string(position_) + ": " + reason);
    }

    void expect(int64_t found, int64_t expected, const std::string& what) const {
        if (found != expected) fail(what + " is " + std::to_string(found) + ", not " + std::to_string(expected));
    }

    void expectName(const std::string& expected) {
        const std::string found = text(64);
        if (found != expected) fail("expected the layer " + expected + ", found another");
    }

    void expectWindow(const Window& expected) {
        Window found{};
        for (int64_t* field : {&found.height, &found.width, &found.strideY, &found.strideX, &found.paddingY, &found.paddingX}) {
            *field = integer();
        }
        if (!(found == expected)) fail("a layer's window, stride or padding is not as expected");
    }

    void expectDimensions(const Dimensions& found, const Dimensions& expected, const std::string& what) const {
        if (found != expected) fail("the " + what + " of a layer have other dimensions than expected");
    }

    void plain(const std::string& name) {
        expectName(name);
        skipTraining();
    }

    void pooling(const std::string& name, const Window& window) {
        expectName(name);
        expectWindow(window);
        skipTraining();
    }

    // What each layer has for training. The innermost layer, which is the first, also says how many samples a picture is.
    void skipTraining() {
        for (int i = 0; i < 3; ++i) flag();
        for (int i = 0; i < 3; ++i) tensor();
        if (isFirstLayer_) expect(integer(), 1, "the number of samples of a picture");
        isFirstLayer_ = false;
    }

    std::pair<std::vector<float>, std::vector<float>> split(const Tensor& parameters, size_t first, size_t second) const {
        const std::vector<float>& all = parameters.values;
        if (all.size() != first + second) fail("a layer has " + std::to_string(all.size()) + " parameters");
        for (const float value : all) {
            if (!std::isfinite(value)) fail("a parameter is not a finite number");
        }
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(first);
        return {std::vector<float>(all.begin(), middle), std::vector<float>(middle, all.end())};
    }

    static size_t count(const Dimensions& dimensions) {
        size_t product = 1;
        for (const int64_t dimension : dimensions) product *= static_cast<size_t>(dimension);
        return product;
    }

    int64_t integer() {
        const auto control = bytes_.read<uint8_t>(position_);
        const size_t width = control & 0x0f;
        if ((control & 0x70) != 0 || width > 8) fail("expected an integer");
        ++position_;
        uint64_t magnitude = 0;
        for (size_t i = 0; i < width; ++i) magnitude |= uint64_t(bytes_.read<uint8_t>(position_ + i)) << (8 * i);
        position_ += width;
        if (magnitude > INT64_MAX) fail("an integer is too large");
        const auto value = static_cast<int64_t>(magnitude);
        return (control & 0x80) != 0 ? -value : value;
    }

    double real() {
        const int64_t mantissa = integer(), exponent = integer();
        // Exponents of 32,000 and more stand for infinities and for what is not a number.
        if (exponent < -1100 || exponent > 1023) fail("a number is not finite");
        const double value = std::ldexp(static_cast<double>(mantissa), static_cast<int>(exponent));
        if (!std::isfinite(value)) fail("a number is not finite");
        return value;
    }

    void flag() {
        const auto value = bytes_.read<uint8_t>(position_);
        if (value != '0' && value != '1') fail("expected a flag");
        ++position_;
    }

    std::string text(int64_t limit) {
        const int64_t length = integer();
        if (length < 0 || length > limit) fail("a name is too long");
        const std::string result = bytes_.text(position_, static_cast<size_t>(length));
        position_ += static_cast<size_t>(length);
        return result;
    }

    Dimensions dimensions() {
        Dimensions result{};
        for (int64_t& dimension : result) dimension = integer();
        return result;
    }

    Dimensions alias() {
        expect(integer(), 1, "the format of a part of a tensor");
        return dimensions();
    }

    Tensor tensor() {
        expect(integer(), 2, "the format of a tensor");
        Tensor result{dimensions(), {}};
        size_t values = 1;
        for (const int64_t dimension : result.dimensions) {
            // The product never has more than 31 bits beyond the size of the file, so it does not overflow.
            if (dimension < 0 || dimension > INT32_MAX) fail("a tensor has an impossible size");
            values *= static_cast<size_t>(dimension);
            if (values > bytes_.size()) fail("a tensor is larger than the file");
        }
        // Memory is taken only for bytes that are there.
        const Bytes data = bytes_.slice(position_, values * sizeof(float));
        result.values.reserve(values);
        for (size_t i = 0; i < values; ++i) result.values.push_back(data.read<float>(i * sizeof(float)));
        position_ += data.size();
        return result;
    }

    Bytes bytes_;
    size_t position_ = 0;
    bool isFirstLayer_ = true;
};

}  // namespace dlib_layers
