// The main job: find objects and people's poses in a photo, on this machine's CPU, and draw what was found.
//
//   tessera-demo OBJECT_MODEL POSE_MODEL PHOTO OUTPUT.png
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "coco.h"
#include "files/image.h"
#include "tessera/model.h"
#include "tessera/tensor.h"

namespace {

using tsr::cli::Color;
using tsr::cli::Crop;
using tsr::cli::Image;

// What CenterNet's authors use for pictures: below it, boxes are more often wrong than right.
constexpr float kMinScore = 0.4f;
// Keypoints below this are guesses (MoveNet's model card).
constexpr float kMinKeypoint = 0.3f;
constexpr int kObjectSize = 512;  // the object model's input
constexpr int kPoseSize = 192;    // the pose model's input

struct Detection {
  double x0, y0, x1, y1;
  float score;
  int label;
};

struct Keypoint {
  double x, y;
  float score;
};

class Stopwatch {
 public:
  double ms() const { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::vector<float> run(const tsr::Model& model, const tsr::Tensor& input, const std::string& output) {
  const std::pair<std::string, tsr::Tensor> inputs[] = {{model.info().inputs.at(0).name, input}};
  const std::string outputs[] = {output};
  return model.run(inputs, outputs).at(0).to_vector<float>();
}

// The model sees the photo stretched to a square and answers in its pixels: x0, y0, x1, y1, score, class.
std::vector<Detection> find_objects(const tsr::Model& model, const Image& photo) {
  const tsr::Tensor input = image_tensor(photo, whole(photo), kObjectSize, kObjectSize, tsr::DType::kFloat32, 0, 255);
  const std::vector<float> rows = run(model, input, "tower_0/detections");
  const double sx = static_cast<double>(photo.width) / kObjectSize;
  const double sy = static_cast<double>(photo.height) / kObjectSize;
  std::vector<Detection> found;
  for (size_t i = 0; i + 6 <= rows.size(); i += 6) {
    if (rows[i + 4] < kMinScore) continue;
    found.push_back({rows[i] * sx, rows[i + 1] * sy, rows[i + 2] * sx, rows[i + 3] * sy, rows[i + 4], static_cast<int>(rows[i + 5])});
  }
  std::sort(found.begin(), found.end(), [](const Detection& a, const Detection& b) { return a.score > b.score; });
  return found;
}

// A square around the person with some room, since the pose model was trained on such pictures.
Crop pose_crop(const Detection& d) {
  const double side = std::max(d.x1 - d.x0, d.y1 - d.y0) * 1.2;
  const double cx = (d.x0 + d.x1) / 2;
  const double cy = (d.y0 + d.y1) / 2;
  return {cx - side / 2, cy - side / 2, cx + side / 2, cy + side / 2};
}

std::vector<Keypoint> find_pose(const tsr::Model& model, const Image& photo, const Detection& person) {
  const Crop crop = pose_crop(person);
  const tsr::Tensor input = image_tensor(photo, crop, kPoseSize, kPoseSize, tsr::DType::kInt32, 0, 255);
  const std::vector<float> rows = run(model, input, model.info().outputs.at(0).name);  // 17 x (y, x, score)
  std::vector<Keypoint> pose;
  for (size_t i = 0; i + 3 <= rows.size(); i += 3) {
    pose.push_back({crop.x0 + rows[i + 1] * (crop.x1 - crop.x0), crop.y0 + rows[i] * (crop.y1 - crop.y0), rows[i + 2]});
  }
  return pose;
}

Color color_of(int label) {
  // Steps of the golden angle around the colour wheel keep neighbours apart.
  const double hue = std::fmod(label * 137.508, 360.0) / 60.0;
  const double x = 1 - std::fabs(std::fmod(hue, 2.0) - 1);
  const double rgb[6][3] = {{1, x, 0}, {x, 1, 0}, {0, 1, x}, {0, x, 1}, {x, 0, 1}, {1, 0, x}};
  const auto& c = rgb[static_cast<int>(hue) % 6];
  return {static_cast<uint8_t>(55 + 200 * c[0]), static_cast<uint8_t>(55 + 200 * c[1]), static_cast<uint8_t>(55 + 200 * c[2])};
}

void draw_pose(Image& photo, const std::vector<Keypoint>& pose, int thickness) {
  for (const auto& [a, b] : tsr::demo::kSkeleton) {
    if (pose[a].score < kMinKeypoint || pose[b].score < kMinKeypoint) continue;
    draw_line(photo, pose[a].x, pose[a].y, pose[b].x, pose[b].y, {80, 220, 255}, thickness);
  }
  for (const Keypoint& k : pose) {
    if (k.score >= kMinKeypoint) draw_dot(photo, k.x, k.y, {255, 255, 80}, thickness + 1);
  }
}

int demo(const std::string& object_path, const std::string& pose_path, const std::string& photo_path, const std::string& output) {
  Stopwatch watch;
  const tsr::Model objects = tsr::load_model(object_path);
  const tsr::Model poses = tsr::load_model(pose_path);
  std::printf("loaded two models (%.1f million parameters) in %.0f ms\n",
              static_cast<double>(objects.info().parameters + poses.info().parameters) / 1e6, watch.ms());
  Image photo = tsr::cli::read_image(photo_path);
  std::printf("%s: %d x %d pixels\n", photo_path.c_str(), photo.width, photo.height);

  watch = {};
  const std::vector<Detection> found = find_objects(objects, photo);
  const double first_ms = watch.ms();
  watch = {};
  find_objects(objects, photo);
  std::printf("found %zu objects in %.0f ms (%.0f ms the second time)\n", found.size(), first_ms, watch.ms());

  const int thickness = std::max(2, photo.height / 250);
  std::vector<std::vector<Keypoint>> all;
  double pose_ms = 0;
  for (const Detection& d : found) {
    const char* name = tsr::demo::coco_name(d.label);
    std::printf("  %-14s %3.0f%%  (%.0f, %.0f) to (%.0f, %.0f)", name, d.score * 100.0, d.x0, d.y0, d.x1, d.y1);
    if (d.label == tsr::demo::kPerson) {
      watch = {};
      all.push_back(find_pose(poses, photo, d));
      pose_ms += watch.ms();
      int seen = 0;
      float sum = 0;
      for (const Keypoint& k : all.back()) {
        seen += k.score >= kMinKeypoint;
        sum += k.score;
      }
      std::printf("  pose: %d of %zu points, mean score %.2f", seen, all.back().size(), sum / static_cast<float>(all.back().size()));
    }
    std::printf("\n");
  }
  if (!all.empty()) std::printf("poses of %zu people in %.0f ms\n", all.size(), pose_ms);

  for (const Detection& d : found) draw_box(photo, d.x0, d.y0, d.x1, d.y1, color_of(d.label), thickness);
  for (const auto& pose : all) draw_pose(photo, pose, thickness);
  for (const Detection& d : found) {
    const std::string text = std::string(tsr::demo::coco_name(d.label)) + " " + std::to_string(static_cast<int>(std::lround(d.score * 100))) + "%";
    draw_label(photo, std::max(0.0, d.x0), std::max(0.0, d.y0), text, {0, 0, 0}, color_of(d.label), std::max(1, photo.height / 400));
  }
  write_png(output, photo);
  std::printf("wrote %s\n", output.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: tessera-demo OBJECT_MODEL POSE_MODEL PHOTO OUTPUT.png\n");
    return 2;
  }
  try {
    return demo(argv[1], argv[2], argv[3], argv[4]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tessera-demo: %s\n", e.what());
    return 1;
  }
}
