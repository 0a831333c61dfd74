// convert_face_embedding IN.dat OUT.xml
//
// Turns dlib's dlib_face_recognition_resnet_model_v1.dat into an OpenVINO model (OUT.xml beside OUT.bin). Done once, at
// set-up; the same input gives the same bytes.
//
//   input   image      [1,3,150,150]  RGB planes, 0…255: a face, upright and aligned to dlib's mean face
//   output  embedding  [1,128]        faces of one person are near to each other by Euclidean distance; not normalised
//
// The network is anet_type of dlib's example dnn_face_recognition_ex.cpp, a variant with 29 convolutions of the residual
// networks of He et al., 2015 (arXiv:1512.03385). The file does not describe how the layers are connected; this does.
//
// Build, from the folder that holds .deps:
//
//   g++ -std=c++17 -O1 -isystem .deps/openvino/include scripts/convert_face_embedding.cpp -o convert_face_embedding
//       -L.deps/openvino/lib -Wl,-rpath,"$PWD/.deps/openvino/lib" -Wl,-rpath-link,.deps/openvino/lib -lopenvino

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "conversion/bytes.hpp"
#include "embedding/dlib_layers.hpp"
#include "openvino/openvino.hpp"
#include "openvino/opsets/opset13.hpp"

namespace {

namespace op = ov::opset13;
using Value = ov::Output<ov::Node>;
using dlib_layers::Affine;
using dlib_layers::Convolution;
using dlib_layers::FullyConnected;
using dlib_layers::Input;
using dlib_layers::Reader;
using dlib_layers::Window;

constexpr int64_t resolution = 150;
constexpr int64_t embeddingLength = 128;

// Builds the graph while it reads the layers, in the order of computation.
class Network {
public:
    explicit Network(const conversion::Bytes& file) : reader_(file) {}

    std::shared_ptr<ov::Model> model() {
        const Input input = reader_.head();
        if (input.height != resolution || input.width != resolution) {
            throw std::runtime_error("the network takes pictures of another size than 150 x 150");
        }
        const auto image = std::make_shared<op::Parameter>(ov::element::f32, ov::PartialShape{1, 3, resolution, resolution});
        image->set_friendly_name("image");
        image->output(0).set_names({"image"});

        Value value = stem(image, input);
        for (int i = 0; i < 3; ++i) value = block(value);
        value = downsamplingBlock(value, 64);
        for (int i = 0; i < 3; ++i) value = block(value);
        for (const int64_t channels : {128, 256}) {
            value = downsamplingBlock(value, channels);
            for (int i = 0; i < 2; ++i) value = block(value);
        }
        value = downsamplingBlock(value, 256);
        value = head(value);
        reader_.end();

        value.get_tensor().set_names({"embedding"});
        const auto result = std::make_shared<op::Result>(value);
        result->set_friendly_name("embedding/result");
        return std::make_shared<ov::Model>(ov::ResultVector{result}, ov::ParameterVector{image}, "face_embedding");
    }

private:
    // The first layers, with the scaling of the picture folded into the filters. Folding is exact at the borders too, because
    // this convolution has no padding.
    Value stem(const Value& image, const Input& input) {
        constexpr double range = 256;
        const Window window = {7, 7, 2, 2, 0, 0};
        Convolution convolution = reader_.convolution(32, 3, window);
        const Affine affine = reader_.affine(32);
        const size_t area = 7 * 7;
        for (size_t output = 0; output < convolution.biases.size(); ++output) {
            double bias = convolution.biases[output];
            for (size_t channel = 0; channel < input.means.size(); ++channel) {
                float* filter = &convolution.filters[(output * input.means.size() + channel) * area];
                for (size_t i = 0; i < area; ++i) {
                    bias -= filter[i] * input.means[channel] / range;
                    filter[i] = static_cast<float>(filter[i] / range);
                }
            }
            convolution.biases[output] = static_cast<float>(bias);
        }
        const Value convolved = rectified(convolve(image, convolution, affine));
        reader_.maximum({3, 3, 2, 2, 0, 0});
        return std::make_shared<op::MaxPool>(convolved, ov::Strides{2, 2}, ov::Strides{1, 1}, ov::Shape{0, 0}, ov::Shape{0, 0},
                                             ov::Shape{3, 3})->output(0);
    }

    // Two convolutions, to whose result their input is added.
    Value block(const Value& input) {
        const auto channels = static_cast<int64_t>(input.get_shape().at(1));
        Value value = rectified(convolution(input, channels, {3, 3, 1, 1, 1, 1}));
        value = convolution(value, channels, {3, 3, 1, 1, 1, 1});
        reader_.addition();
        return rectified(std::make_shared<op::Add>(value, input));
    }

    // The same with half the resolution. The input is averaged to fit.
    Value downsamplingBlock(const Value& input, int64_t channels) {
        Value value = rectified(convolution(input, channels, {3, 3, 2, 2, 0, 0}));
        value = convolution(value, channels, {3, 3, 1, 1, 1, 1});
        reader_.average({2, 2, 2, 2, 0, 0});
        const Value halved = std::make_shared<op::AvgPool>(input, ov::Strides{2, 2}, ov::Shape{0, 0}, ov::Shape{0, 0},
                                                           ov::Shape{2, 2}, true);
        reader_.addition();
        return rectified(paddedSum(value, halved));
    }

    // dlib adds tensors of different sizes as if zeros followed in each dimension in which one is smaller.
    static Value paddedSum(const Value& a, const Value& b) {
        ov::Shape shape = a.get_shape();
        for (size_t i = 0; i < shape.size(); ++i) shape[i] = std::max(shape[i], b.get_shape().at(i));
        const Value first = padded(a, shape);
        const Value second = padded(b, shape);
        return std::make_shared<op::Add>(first, second);
    }

    static Value padded(const Value& value, const ov::Shape& shape) {
        if (value.get_shape() == shape) return value;
        std::vector<int64_t> ends;
        for (size_t i = 0; i < shape.size(); ++i) ends.push_back(static_cast<int64_t>(shape[i] - value.get_shape().at(i)));
        const auto before = op::Constant::create(ov::element::i64, {shape.size()}, std::vector<int64_t>(shape.size(), 0));
        const auto after = op::Constant::create(ov::element::i64, {shape.size()}, ends);
        const auto zero = op::Constant::create(ov::element::f32, {}, {0.0f});
        return std::make_shared<op::Pad>(value, before, after, zero, ov::op::PadMode::CONSTANT);
    }

    // The mean over the picture, and the only layer that sees all channels at once.
    Value head(const Value& input) {
        const ov::Shape shape = input.get_shape();
        reader_.average({0, 0, 1, 1, 0, 0});
        const auto axes = op::Constant::create(ov::element::i64, {2}, {2, 3});
        const Value mean = std::make_shared<op::ReduceMean>(input, axes, false);
        const FullyConnected layer = reader_.fullyConnected(embeddingLength, static_cast<int64_t>(shape.at(1)));
        const ov::Shape sides = {static_cast<size_t>(layer.inputs), static_cast<size_t>(layer.outputs)};
        const auto weights = op::Constant::create(ov::element::f32, sides, layer.weights);
        return std::make_shared<op::MatMul>(mean, weights);
    }

    Value convolution(const Value& input, int64_t outputs, const Window& window) {
        const auto inputs = static_cast<int64_t>(input.get_shape().at(1));
        const Convolution convolution = reader_.convolution(outputs, inputs, window);
        const Affine affine = reader_.affine(outputs);
        return convolve(input, convolution, affine);
    }

    // A convolution, whose result the affine layer scales and shifts, as one.
    static Value convolve(const Value& input, Convolution convolution, const Affine& affine) {
        const size_t outputs = convolution.biases.size();
        const size_t length = convolution.filters.size() / outputs;
        for (size_t output = 0; output < outputs; ++output) {
            const double factor = affine.factors[output];
            for (size_t i = output * length; i < (output + 1) * length; ++i) {
                convolution.filters[i] = static_cast<float>(convolution.filters[i] * factor);
            }
            convolution.biases[output] = static_cast<float>(convolution.biases[output] * factor + affine.offsets[output]);
        }
        const Window& window = convolution.window;
        const ov::CoordinateDiff padding = {window.paddingY, window.paddingX};
        const ov::Shape shape(convolution.shape.begin(), convolution.shape.end());
        const auto filters = op::Constant::create(ov::element::f32, shape, convolution.filters);
        const auto biases = op::Constant::create(ov::element::f32, {1, outputs, 1, 1}, convolution.biases);
        const ov::Strides strides = {static_cast<size_t>(window.strideY), static_cast<size_t>(window.strideX)};
        const Value convolved =
            std::make_shared<op::Convolution>(input, filters, strides, padding, padding, ov::Strides{1, 1});
        return std::make_shared<op::Add>(convolved, biases);
    }

    Value rectified(const Value& value) {
        reader_.rectifier();
        return std::make_shared<op::Relu>(value);
    }

    Reader reader_;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::cerr << "usage: convert_face_embedding IN.dat OUT.xml\n";
        return 2;
    }
    try {
        const std::vector<uint8_t> file = conversion::readFile(arguments[1]);
        // Full precision: in half precision, an embedding moves by 0.001, and the file is all that would be smaller.
        ov::save_model(Network(conversion::Bytes(file.data(), file.size())).model(), arguments[2], false);
    } catch (const std::exception& error) {
        std::cerr << "convert_face_embedding: " << arguments[1] << ": " << error.what() << "\n";
        return 1;
    }
}
