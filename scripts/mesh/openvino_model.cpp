// openvino_model IN.tflite OUT.xml
//
// Turns MediaPipe's face_landmark_with_attention.tflite into an OpenVINO model (OUT.xml beside OUT.bin) that loads through
// any OpenVINO API. The original holds three custom operations which OpenVINO does not know; here each is rebuilt from
// standard ones. vidscan computes the network itself; this model is the reference for that (scripts/mesh/golden.py).
//
//   input   image      [1,3,192,192]  RGB planes, 0…255, the tensor format the face detector takes too
//   output  landmarks  [1,478,3]      x, y in pixels of the input, origin at its top left corner; z in the same unit, smaller
//                                     is nearer. 468 mesh points with lips and eyes refined, 5 points of the iris of
//                                     the eye that is left in the picture, then 5 of the other.
//   output  presence   [1,1]          0…1, how surely this is a face (sigmoid applied)
//
// Build, from the folder that holds .deps (the wheel's libraries use the current C++ ABI, which is g++'s default):
//
//   g++ -std=c++17 -O1 -isystem .deps/openvino/include scripts/mesh/openvino_model.cpp -o openvino_model
//       -L.deps/openvino/lib -Wl,-rpath,"$PWD/.deps/openvino/lib" -Wl,-rpath-link,.deps/openvino/lib
//       -lopenvino -lopenvino_tensorflow_lite_frontend

#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "../conversion/bytes.hpp"
#include "custom_options.hpp"
#include "openvino/core/preprocess/pre_post_process.hpp"
#include "openvino/frontend/tensorflow_lite/extension/conversion.hpp"
#include "openvino/frontend/tensorflow_lite/node_context.hpp"
#include "openvino/openvino.hpp"
#include "openvino/opsets/opset13.hpp"

namespace {

namespace op = ov::opset13;
using ov::Output;
using ov::OutputVector;
using Value = Output<ov::Node>;
using ov::frontend::NodeContext;
using AttributesByOperation = std::map<std::string, mesh::Attributes>;

constexpr int64_t meshPoints = 468;
constexpr int64_t irisPoints = 5;
// An eye's first 16 subset points are the contour of its lids.
constexpr size_t lidPoints = 16;

Value floats(const ov::Shape& shape, const std::vector<float>& values) {
    return op::Constant::create(ov::element::f32, shape, values);
}

Value integers(const std::vector<int64_t>& values) {
    return op::Constant::create(ov::element::i64, {values.size()}, values);
}

Value axis(int64_t number) { return op::Constant::create(ov::element::i64, {}, {number}); }

Value add(const Value& a, const Value& b) { return std::make_shared<op::Add>(a, b); }
Value subtract(const Value& a, const Value& b) { return std::make_shared<op::Subtract>(a, b); }
Value multiply(const Value& a, const Value& b) { return std::make_shared<op::Multiply>(a, b); }
Value scale(const Value& a, double factor) { return multiply(a, floats({}, {static_cast<float>(factor)})); }
Value offset(const Value& a, double amount) { return add(a, floats({}, {static_cast<float>(amount)})); }
Value concatenate(const OutputVector& parts, int64_t along) { return std::make_shared<op::Concat>(parts, along); }
Value take(const Value& from, const std::vector<int64_t>& which, int64_t along) {
    return std::make_shared<op::Gather>(from, integers(which), axis(along));
}
Value reshape(const Value& value, const std::vector<int64_t>& shape) {
    return std::make_shared<op::Reshape>(value, integers(shape), false);
}
Value transpose(const Value& value, const std::vector<int64_t>& order) {
    return std::make_shared<op::Transpose>(value, integers(order));
}

// Applies the planar part of a transform to points: [1,4,4] and [1,n,2] → [1,n,2]. Rows 0 and 1 act on (x, y, 0, 1).
Value applyTransform(const Value& matrix, const Value& points, size_t count) {
    const Value planar = take(take(matrix, {0, 1}, 1), {0, 1, 3}, 2);
    const Value homogeneous = concatenate({points, floats({1, count, 1}, std::vector<float>(count, 1))}, 2);
    return std::make_shared<op::MatMul>(homogeneous, planar, false, true);
}

// Landmarks2TransformMatrix, version 2: [1,468,3] → [1,4,4].
// The transform takes the output grid (16×16) onto a box around a subset of the points. The box lies along the line from a
// left to a right point, holds the subset tightly, and is then enlarged.
// Matrix = Translate(centre) · Rotate(angle) · Scale(scale · size / grid) · Translate(−grid / 2); z is left as it is.
Value boxTransform(const Value& landmarks, const mesh::Attributes& attributes) {
    if (attributes.number("target_rotation_radians") != 0) throw std::runtime_error("only a target rotation of 0 is supported");
    const double width = attributes.number("output_width"), height = attributes.number("output_height");

    const Value plane = take(landmarks, {0, 1}, 2);
    const int64_t left = static_cast<int64_t>(attributes.number("left_rotation_idx"));
    const int64_t right = static_cast<int64_t>(attributes.number("right_rotation_idx"));
    const Value direction = subtract(take(plane, {right}, 1), take(plane, {left}, 1));
    const Value length = std::make_shared<op::ReduceL2>(direction, integers({2}), true);
    // A degenerate pair of points must not divide by zero; any direction serves then.
    const Value unit = std::make_shared<op::Divide>(direction, std::make_shared<op::Maximum>(length, floats({}, {1e-6f})));
    const Value cosine = take(unit, {0}, 2), sine = take(unit, {1}, 2);

    const Value subset = take(plane, attributes.indices("subset_idxs"), 1);
    const Value x = take(subset, {0}, 2), y = take(subset, {1}, 2);
    const Value along = add(multiply(cosine, x), multiply(sine, y));
    const Value across = subtract(multiply(cosine, y), multiply(sine, x));
    const Value level = concatenate({along, across}, 2);
    const Value lowest = std::make_shared<op::ReduceMin>(level, integers({1}), true);
    const Value highest = std::make_shared<op::ReduceMax>(level, integers({1}), true);

    const Value middle = scale(add(lowest, highest), 0.5), size = subtract(highest, lowest);
    const Value middleX = take(middle, {0}, 2), middleY = take(middle, {1}, 2);
    const Value centreX = subtract(multiply(cosine, middleX), multiply(sine, middleY));
    const Value centreY = add(multiply(sine, middleX), multiply(cosine, middleY));
    const Value cellWidth = scale(take(size, {0}, 2), attributes.number("scale_x") / width);
    const Value cellHeight = scale(take(size, {1}, 2), attributes.number("scale_y") / height);

    const Value xx = multiply(cosine, cellWidth), xy = scale(multiply(sine, cellHeight), -1);
    const Value yx = multiply(sine, cellWidth), yy = multiply(cosine, cellHeight);
    const Value shiftX = subtract(centreX, add(scale(xx, width / 2), scale(xy, height / 2)));
    const Value shiftY = subtract(centreY, add(scale(yx, width / 2), scale(yy, height / 2)));
    const Value zero = floats({1, 1, 1}, {0});
    return concatenate({concatenate({xx, xy, zero, shiftX}, 2), concatenate({yx, yy, zero, shiftY}, 2),
                        floats({1, 2, 4}, {0, 0, 1, 0, 0, 0, 0, 1})}, 1);
}

// TransformTensorBilinear, version 2: features [1,h,w,c] and a matrix → [1,16,16,c].
// Output cell (x, y) is read at M · (x + 0.5, y + 0.5) − 0.5, bilinearly; a place outside the cell centres gives 0.
Value sampleFeatures(const Value& features, const Value& matrix, const mesh::Attributes& attributes) {
    const auto width = static_cast<size_t>(attributes.number("output_width"));
    const auto height = static_cast<size_t>(attributes.number("output_height"));
    const ov::Shape shape = features.get_shape();
    const float lastColumn = static_cast<float>(shape.at(2) - 1), lastRow = static_cast<float>(shape.at(1) - 1);

    std::vector<float> centres;
    for (size_t y = 0; y < height; ++y) {
        for (size_t x = 0; x < width; ++x) centres.insert(centres.end(), {x + 0.5f, y + 0.5f});
    }
    const Value source = offset(applyTransform(matrix, floats({1, height * width, 2}, centres), height * width), -0.5);

    // GridSample counts from −1 to 1 between the outermost cell centres.
    const Value grid = offset(multiply(source, floats({2}, {2 / lastColumn, 2 / lastRow})), -1);
    // Its zero padding would fade over one cell past the border; far outside it gives a plain 0.
    const Value distance = std::make_shared<op::ReduceMax>(std::make_shared<op::Abs>(grid), integers({2}), true);
    const Value outside = std::make_shared<op::Greater>(distance, floats({}, {1}));
    const Value masked = std::make_shared<op::Select>(outside, floats({}, {4}), grid);

    const op::GridSample::Attributes bilinear(true, op::GridSample::InterpolationMode::BILINEAR,
                                              op::GridSample::PaddingMode::ZEROS);
    const Value places = reshape(masked, {1, static_cast<int64_t>(height), static_cast<int64_t>(width), 2});
    const Value planes = std::make_shared<op::GridSample>(transpose(features, {0, 3, 1, 2}), places, bilinear);
    return transpose(planes, {0, 2, 3, 1});
}

// The name of the operation's first output tensor: the one thing both the frontend and the file call it by.
std::string firstOutput(const NodeContext& node) {
    namespace lite = ov::frontend::tensorflow_lite;
    const auto decoder = dynamic_cast<const lite::NodeContext&>(node).get_decoder();
    return std::dynamic_pointer_cast<lite::DecoderBaseOperation>(decoder)->get_output_tensor_name(0);
}

void registerOperations(ov::Core& core, const AttributesByOperation& attributes) {
    using ov::frontend::tensorflow_lite::ConversionExtension;
    core.add_extension(std::make_shared<ConversionExtension>(
        "Landmarks2TransformMatrix", [&attributes](const NodeContext& node) -> OutputVector {
            return {boxTransform(node.get_input(0), attributes.at(firstOutput(node)))};
        }));
    core.add_extension(std::make_shared<ConversionExtension>(
        "TransformTensorBilinear", [&attributes](const NodeContext& node) -> OutputVector {
            return {sampleFeatures(node.get_input(0), node.get_input(1), attributes.at(firstOutput(node)))};
        }));
    core.add_extension(std::make_shared<ConversionExtension>(
        "TransformLandmarks", [](const NodeContext& node) -> OutputVector {
            const Value points = node.get_input(0);
            return {applyTransform(node.get_input(1), points, points.get_shape().at(1))};
        }));
}

// The attributes of the box around the part of the face whose rotation is given by these two points.
const mesh::Attributes& partBetween(const AttributesByOperation& all, int64_t left, int64_t right) {
    for (const auto& [name, attributes] : all) {
        if (attributes.values.count("subset_idxs") == 0) continue;
        if (attributes.number("left_rotation_idx") == left && attributes.number("right_rotation_idx") == right) return attributes;
    }
    throw std::runtime_error("the model has no part between points " + std::to_string(left) + " and " + std::to_string(right));
}

// The original output of this name, as a list of points.
Value points(const ov::Model& model, const std::string& name, int64_t count, int64_t dimensions) {
    const Value result = model.output(name).get_node()->input_value(0);
    return reshape(result, {count, dimensions});
}

// The depth of an iris: the mean depth of the mesh along its lids, since the model gives none (as MediaPipe does).
Value irisPointsWithDepth(const Value& iris, const Value& meshDepth, const mesh::Attributes& eye) {
    std::vector<int64_t> lids = eye.indices("subset_idxs");
    lids.resize(lidPoints);
    const Value depth = std::make_shared<op::ReduceMean>(take(meshDepth, lids, 0), integers({0}), true);
    return concatenate({iris, std::make_shared<op::Broadcast>(depth, integers({irisPoints, 1}))}, 1);
}

// One list of points instead of the original's mesh, parts and presence logit.
std::shared_ptr<ov::Model> withMergedOutputs(const ov::Model& original, const AttributesByOperation& attributes) {
    struct Part {
        std::string output;
        std::vector<int64_t> landmarks;
    };
    const mesh::Attributes& lips = partBetween(attributes, 61, 291);
    const mesh::Attributes& leftEye = partBetween(attributes, 33, 133);
    const mesh::Attributes& rightEye = partBetween(attributes, 362, 263);
    const std::vector<Part> parts = {{"output_lips", lips.indices("subset_idxs")},
                                     {"output_left_eye", leftEye.indices("subset_idxs")},
                                     {"output_right_eye", rightEye.indices("subset_idxs")}};

    // Mesh and parts one below the other; then for each mesh point the row that holds it best.
    const Value coarse = points(original, "output_mesh_identity", meshPoints, 3);
    const Value depth = take(coarse, {2}, 1);
    OutputVector candidates = {take(coarse, {0, 1}, 1)};
    std::vector<int64_t> best(meshPoints);
    for (int64_t i = 0; i < meshPoints; ++i) best[i] = i;
    int64_t row = meshPoints;
    for (const Part& part : parts) {
        candidates.push_back(points(original, part.output, static_cast<int64_t>(part.landmarks.size()), 2));
        for (int64_t landmark : part.landmarks) best.at(landmark) = row++;
    }
    const Value refined = concatenate({take(concatenate(candidates, 0), best, 0), depth}, 1);

    const Value leftIris = irisPointsWithDepth(points(original, "output_left_iris", irisPoints, 2), depth, leftEye);
    const Value rightIris = irisPointsWithDepth(points(original, "output_right_iris", irisPoints, 2), depth, rightEye);
    const Value landmarks = reshape(concatenate({refined, leftIris, rightIris}, 0), {1, meshPoints + 2 * irisPoints, 3});
    const Value logit = original.output("conv_faceflag").get_node()->input_value(0);
    const Value presence = reshape(std::make_shared<op::Sigmoid>(logit), {1, 1});

    const auto result = [](const Value& value, const std::string& name) {
        // The tensor may carry names of the original; a result is found by this one alone.
        value.get_tensor().set_names({name});
        const auto node = std::make_shared<op::Result>(value);
        node->set_friendly_name(name + "/result");
        return node;
    };
    return std::make_shared<ov::Model>(ov::ResultVector{result(landmarks, "landmarks"), result(presence, "presence")},
                                       original.get_parameters(), "attention_mesh");
}

// The original takes interleaved RGB in 0…1.
std::shared_ptr<ov::Model> withPlanarByteRangeInput(const std::shared_ptr<ov::Model>& model) {
    model->input().get_tensor().set_names({"image"});
    ov::preprocess::PrePostProcessor edit(model);
    edit.input().tensor().set_element_type(ov::element::f32).set_layout("NCHW");
    edit.input().model().set_layout("NHWC");
    edit.input().preprocess().scale(255.0f);
    return edit.build();
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::cerr << "usage: openvino_model IN.tflite OUT.xml\n";
        return 2;
    }
    try {
        const AttributesByOperation attributes = mesh::readCustomOptions(conversion::readFile(arguments[1]));
        ov::Core core;
        registerOperations(core, attributes);
        const std::shared_ptr<ov::Model> original = core.read_model(arguments[1]);
        const auto model = withPlanarByteRangeInput(withMergedOutputs(*original, attributes));
        // Full precision: the points are read to a fraction of a pixel.
        ov::save_model(model, arguments[2], false);
    } catch (const std::exception& error) {
        std::cerr << "openvino_model: " << arguments[1] << ": " << error.what() << "\n";
        return 1;
    }
}
